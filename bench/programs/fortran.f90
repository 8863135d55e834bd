! Transposes a matrix that is distributed by columns, again and again; mpi_f08.
!
! Rank 0 sends the order of the matrix, the number of steps and the weights of each step. In a step
! every rank scales its columns by the weights and takes its part of the transposed matrix.
!
!   mpirun -np 8 ./fortran [order [steps]]

program transpose_f08
   use mpi_f08
   use, intrinsic :: iso_fortran_env, only: int64, real64
   implicit none

   integer(int64), parameter :: modulus = 2147483647
   integer :: rank, ranks, width, step, i, j, piece
   integer :: settings(2)
   integer(int64) :: hash
   integer(int64), allocatable :: hashes(:)
   real(real64) :: start, seconds, slowest
   real(real64), allocatable :: matrix(:, :), send(:, :, :), receive(:, :, :), weights(:)

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks)

   settings = [argument(1, 720), argument(2, 20)]
   call MPI_Bcast(settings, 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
   width = settings(1)/ranks
   if (width < 1 .or. width*ranks /= settings(1)) then
      if (rank == 0) print '(a)', 'the order must be a multiple of the number of ranks'
      call MPI_Abort(MPI_COMM_WORLD, 2)
   end if

   associate (order => settings(1), steps => settings(2))
      allocate (matrix(order, width), weights(order))
      allocate (send(width, width, ranks), receive(width, width, ranks))
      do j = 1, width
         do i = 1, order
            matrix(i, j) = 1/real(i + 3*(rank*width + j), real64)
         end do
      end do

      call MPI_Barrier(MPI_COMM_WORLD)
      start = MPI_Wtime()
      do step = 1, steps
         if (rank == 0) weights = [(1 + real(mod(i*step, 7), real64)/8, i=1, order)]
         call MPI_Bcast(weights, order, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
         do j = 1, width
            matrix(:, j) = matrix(:, j)*weights/weights(rank*width + j)
         end do
         do piece = 1, ranks
            send(:, :, piece) = transpose(matrix((piece - 1)*width + 1:piece*width, :))
         end do
         call MPI_Alltoall(send, width*width, MPI_DOUBLE_PRECISION, &
                           receive, width*width, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
         do piece = 1, ranks
            matrix((piece - 1)*width + 1:piece*width, :) = receive(:, :, piece)
         end do
      end do
      seconds = MPI_Wtime() - start
   end associate

   call MPI_Reduce(seconds, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
   hash = checksum(transfer(matrix, [0_int64]))
   allocate (hashes(ranks))
   call MPI_Gather(hash, 1, MPI_INTEGER8, hashes, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
   if (rank == 0) print '(3(a, i0), a, f0.6, a, i0)', 'mpi_f08: ', ranks, ' ranks, order ', settings(1), &
      ', ', settings(2), ' steps: ', slowest, ' s  checksum ', checksum(hashes)
   call MPI_Finalize()

contains

   ! The whole number at this place of the command line.
   integer function argument(place, otherwise)
      integer, intent(in) :: place, otherwise
      character(len=32) :: text

      argument = otherwise
      call get_command_argument(place, text)
      if (text /= '') read (text, *) argument
   end function argument

   ! Depends on every bit and on the order.
   pure integer(int64) function checksum(words)
      integer(int64), intent(in) :: words(:)
      integer :: k

      checksum = 1
      do k = 1, size(words)
         checksum = mod(checksum*65599 + ibits(words(k), 0, 32), modulus)
         checksum = mod(checksum*65599 + ibits(words(k), 32, 32), modulus)
      end do
   end function checksum

end program transpose_f08
