! The collectives from "use mpi_f08" with counts of kind MPI_COUNT_KIND: in MPI 4 these are
! the large-count twins (MPI_Alltoall_c and so on). Prints "ok N calls". For MPICH 4 only: with
! an MPI 3 it does not compile.
program fusempif08_large
  use mpi_f08
  implicit none
  integer(MPI_COUNT_KIND), parameter :: n = 23, two = 2
  integer :: me, p, j, k, ierr
  integer :: ncalls = 0
  integer, allocatable :: s(:,:), r(:,:), b(:)
  integer(MPI_COUNT_KIND), allocatable :: counts(:)
  integer(MPI_ADDRESS_KIND), allocatable :: at(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, p)
  allocate(s(n,0:p-1), r(n,0:p-1), b(n), counts(p), at(p))
  counts = two
  at = [(j*n, j = 0, p-1)]
  do j = 0, p-1
     s(:,j) = 100*me + j
  end do

  call MPI_Alltoall(s, n, MPI_INTEGER, r, n, MPI_INTEGER, MPI_COMM_WORLD)
  call check(all([(r(:,j) == 100*j + me, j = 0, p-1)]), 'alltoall')
  r = -1
  call MPI_Alltoallv(s, counts, at, MPI_INTEGER, r, counts, at, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call check(all([(r(1:2,j) == 100*j + me .and. r(3,j) == -1, j = 0, p-1)]), 'alltoallv')
  do j = 0, p-1
     b = me
     call MPI_Bcast(b, n, MPI_INTEGER, j, MPI_COMM_WORLD)
     call check(all(b == j), 'bcast')
     call MPI_Scatter(s, n, MPI_INTEGER, b, n, MPI_INTEGER, j, MPI_COMM_WORLD, ierr)
     call check(all(b == 100*j + me), 'scatter')
     r = -1
     b = me + 7
     call MPI_Gather(b, n, MPI_INTEGER, r, n, MPI_INTEGER, j, MPI_COMM_WORLD)
     if (me == j) call check_ranks('gather')
     if (me /= j) call check(all(r == -1), 'gather elsewhere')
  end do
  r = -1
  call MPI_Allgather(b, n, MPI_INTEGER, r, n, MPI_INTEGER, MPI_COMM_WORLD)
  call check_ranks('allgather')
  r = -1
  call MPI_Allgatherv(b, two, MPI_INTEGER, r, counts, at, MPI_INTEGER, MPI_COMM_WORLD)
  call check(all([(r(1:2,j) == j + 7 .and. r(3,j) == -1, j = 0, p-1)]), 'allgatherv')
  do j = 0, p-1
     r = -1
     call MPI_Gatherv(b, two, MPI_INTEGER, r, counts, at, MPI_INTEGER, j, MPI_COMM_WORLD, ierr)
     if (me == j) call check(all([(r(1:2,k) == k + 7 .and. r(3,k) == -1, k = 0, p-1)]), 'gatherv')
     if (me /= j) call check(all(r == -1), 'gatherv elsewhere')
     b(1:2) = -1
     call MPI_Scatterv(s, counts, at, MPI_INTEGER, b, two, MPI_INTEGER, j, MPI_COMM_WORLD)
     call check(all(b(1:2) == 100*j + me), 'scatterv')
     b = me + 7
  end do
  r = me
  call MPI_Allreduce(r, s, n*p, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(all(s == p*(p-1)/2), 'allreduce')
  s = -1
  call MPI_Reduce(r, s, n, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
  call check(all(s(:,0) == merge(p - 1, -1, me == 0)), 'reduce')
  counts = n
  call MPI_Reduce_scatter(r, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(all(b == p*(p-1)/2), 'reduce_scatter')
  call MPI_Reduce_scatter_block(r, b, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call check(all(b == p*(p-1)/2), 'reduce_scatter_block')
  if (me == 0) print '(a,i0,a)', 'ok ', ncalls, ' calls'
  call MPI_Finalize()

contains

  subroutine check_ranks(what)
    character(*), intent(in) :: what
    integer :: i
    call check(all([(r(:,i) == i + 7, i = 0, p-1)]), what)
  end subroutine check_ranks

  ! After each call: one check, one call more.
  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    ncalls = ncalls + 1
    if (right) return
    print *, 'usempif08_large: wrong result on rank ', me, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 9)
    error stop 9
  end subroutine check
end program fusempif08_large
