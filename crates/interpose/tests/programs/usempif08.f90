! The collectives from Fortran 2008 with "use mpi_f08": results against values computed by
! hand, calls with and without ierror, MPI_IN_PLACE, MPI_BOTTOM, array sections (handed over as
! they are where MPI_SUBARRAYS_SUPPORTED, else copied). Prints "ok N calls" (rank 0).
program fusempif08
  use mpi_f08
  implicit none
  integer, parameter :: n = 29
  integer :: ierr, me, p, i, j, k, root
  integer :: ncalls = 0
  integer, allocatable, asynchronous :: s(:,:), r(:,:), b(:)
  integer, allocatable :: sc(:), sd(:), rc(:), rd(:)
  double precision, allocatable :: d(:), e(:,:)
  integer, target, asynchronous :: y(6)
  type(MPI_Comm) :: world, twin
  type(MPI_Datatype) :: t
  type(MPI_Request) :: req
  type(MPI_Status) :: st
  integer(kind=MPI_ADDRESS_KIND) :: at(2)

  call MPI_Init()
  world = MPI_COMM_WORLD
  call MPI_Comm_dup(world, twin)
  call MPI_Comm_rank(world, me)
  call MPI_Comm_size(world, p)
  allocate(s(n,0:p-1), r(n,0:p-1), b(n), sc(p), sd(p), rc(p), rd(p), d(n), e(n,0:p-1))

  ! alltoall: with ierror, without, in place
  call fill()
  r = -1
  ierr = -1
  call MPI_Alltoall(s, n, MPI_INTEGER, r, n, MPI_INTEGER, world, ierr)
  call done(ierr)
  call check(all(r == transposed()), 'alltoall')
  r = -1
  call MPI_Alltoall(s, n, MPI_INTEGER, r, n, MPI_INTEGER, twin)
  call done()
  call check(all(r == transposed()), 'alltoall without ierror')
  call MPI_Alltoall(MPI_IN_PLACE, n, MPI_INTEGER, s, n, MPI_INTEGER, world)
  call done()
  call check(all(s == r), 'alltoall in place')

  ! alltoallv: from i to j mod(i+2j, n) numbers, in descending blocks
  call fill()
  do j = 0, p-1
     sc(j+1) = mod(me + 2*j, n)
     rc(j+1) = mod(j + 2*me, n)
     sd(j+1) = j*n
     rd(j+1) = (p-1-j)*n
  end do
  r = -7
  call MPI_Alltoallv(s, sc, sd, MPI_INTEGER, r, rc, rd, MPI_INTEGER, world)
  call done()
  call check_v('alltoallv')
  r = -7
  call MPI_Alltoallv(s, sc, sd, MPI_INTEGER, r, rc, rd, MPI_INTEGER, twin, ierr)
  call done(ierr)
  call check_v('alltoallv with ierror')
  rc = 2
  call MPI_Alltoallv(MPI_IN_PLACE, sc, sd, MPI_INTEGER, s, rc, sd, MPI_INTEGER, world)
  call done()
  do j = 0, p-1
     do k = 1, n
        i = merge(value(j, me, k), value(me, j, k), k <= 2)
        call check(s(k,j) == i, 'alltoallv in place')
     end do
  end do

  do root = 0, p-1
     ! bcast: doubles; a section; absolute addresses
     d = merge(root + 0.5d0, 0d0, me == root)
     call MPI_Bcast(d, n, MPI_DOUBLE_PRECISION, root, world)
     call done()
     call check(all(nint(2*d) == 2*root + 1), 'bcast')
     b = -2
     if (me == root) b(2::3) = root + 40
     if (MPI_SUBARRAYS_SUPPORTED) then
        call MPI_Bcast(b(2::3), size(b(2::3)), MPI_INTEGER, root, world, ierr)
        call done(ierr)
     else
        call bcast_copy(b(2::3), size(b(2::3)))
     end if
     do k = 1, n
        call check(b(k) == merge(root + 40, -2, mod(k, 3) == 2), 'bcast of a section')
     end do
     y = me
     if (me == root) y = [root+1, me, root+2, root+3, me, me]
     call MPI_Get_address(y(3), at(1))
     call MPI_Get_address(y(1), at(2))
     call MPI_Type_create_hindexed(2, [2, 1], at, MPI_INTEGER, t)
     call MPI_Type_commit(t)
     call MPI_F_sync_reg(y)
     call MPI_Bcast(MPI_BOTTOM, 1, t, root, world)
     call done()
     call MPI_F_sync_reg(y)
     call check(all(y == [root+1, me, root+2, root+3, me, me]), 'bcast from MPI_BOTTOM')
     ! gather from MPI_BOTTOM, in the order of the type
     r = -1
     y = [100 + me, 0, 200 + me, 300 + me, 0, 0]
     call MPI_F_sync_reg(y)
     call MPI_Gather(MPI_BOTTOM, 1, t, r, 3, MPI_INTEGER, root, twin, ierr)
     call done(ierr)
     if (me == root) then
        b(1:6) = reshape(r(1:6,0:0), [6])
        call check(all(b(1:3) == [200, 300, 100]), 'gather from MPI_BOTTOM')
        if (p > 1) call check(all(b(4:6) == [201, 301, 101]), 'gather from MPI_BOTTOM')
     end if
     call MPI_Type_free(t)
     ! scatter, and in place at the root
     do j = 0, p-1
        s(:,j) = [(value(root, j, k), k = 1, n)]
     end do
     b = 0
     call MPI_Scatter(s, n, MPI_INTEGER, b, n, MPI_INTEGER, root, world, ierr)
     call done(ierr)
     call check(all(b == [(value(root, me, k), k = 1, n)]), 'scatter')
     b = -9
     if (me == root) then
        call MPI_Scatter(s, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, world)
     else
        call MPI_Scatter(s, n, MPI_INTEGER, b, n, MPI_INTEGER, root, world)
     end if
     call done()
     call check(all(b == [(merge(-9, value(root, me, k), me == root), k = 1, n)]), 'scatter in place')
     ! gather of a section, and in place at the root
     b = [(value(me, 3, k), k = 1, n)]
     r = -1
     if (MPI_SUBARRAYS_SUPPORTED) then
        call MPI_Gather(b(n:1:-2), size(b(n:1:-2)), MPI_INTEGER, r, size(b(n:1:-2)), MPI_INTEGER, root, world)
        call done()
     else
        call gather_copy(b(n:1:-2), size(b(n:1:-2)))
     end if
     if (me == root) then
        associate (flat => reshape(r, [size(r)]))
          i = size(b(n:1:-2))
          do j = 0, p-1
             call check(all(flat(j*i+1:(j+1)*i) == [(value(j, 3, k), k = n, 1, -2)]), 'gather of a section')
          end do
        end associate
        r = -4
        r(:,me) = b
        call MPI_Gather(MPI_IN_PLACE, n, MPI_INTEGER, r, n, MPI_INTEGER, root, world)
        do j = 0, p-1
           call check(all(r(:,j) == [(value(j, 3, k), k = 1, n)]), 'gather in place')
        end do
     else
        call MPI_Gather(b, n, MPI_INTEGER, r, n, MPI_INTEGER, root, world)
     end if
     call done()
  end do

  ! allgather: with ierror, in place without
  b = [(value(me, 8, k), k = 1, n)]
  r = -1
  call MPI_Allgather(b, n, MPI_INTEGER, r, n, MPI_INTEGER, world, ierr)
  call done(ierr)
  s = -1
  s(:,me) = b
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s, n, MPI_INTEGER, twin)
  call done()
  do j = 0, p-1
     call check(all(r(:,j) == [(value(j, 8, k), k = 1, n)]) .and. all(s(:,j) == r(:,j)), 'allgather')
  end do

  ! allgatherv: mod(2j+3, n) numbers of rank j, in descending blocks; also in place
  rc = [(mod(2*j + 3, n), j = 0, p-1)]
  rd = [((p-1-j)*n, j = 0, p-1)]
  b = [(value(me, 9, k), k = 1, n)]
  r = -7
  s = -7
  s(1:rc(me+1),p-1-me) = b(1:rc(me+1))
  call MPI_Allgatherv(b, rc(me+1), MPI_INTEGER, r, rc, rd, MPI_INTEGER, world, ierr)
  call done(ierr)
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s, rc, rd, MPI_INTEGER, twin)
  call done()
  do j = 0, p-1
     do k = 1, n
        i = merge(value(j, 9, k), -7, k <= rc(j+1))
        call check(r(k,p-1-j) == i .and. s(k,p-1-j) == i, 'allgatherv')
     end do
  end do
  ! gatherv of the same numbers, and scatterv back, which is in place at the root
  do root = 0, p-1
     r = -7
     call MPI_Gatherv(b, rc(me+1), MPI_INTEGER, r, rc, rd, MPI_INTEGER, root, world)
     call done()
     call check(all(r == merge(s, -7, me == root)), 'gatherv')
     b = -9
     if (me == root) then
        call MPI_Scatterv(r, rc, rd, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, root, twin, ierr)
     else
        call MPI_Scatterv(r, rc, rd, MPI_INTEGER, b, rc(me+1), MPI_INTEGER, root, twin, ierr)
     end if
     call done(ierr)
     do k = 1, n
        call check(b(k) == merge(value(me, 9, k), -9, me /= root .and. k <= rc(me+1)), 'scatterv')
     end do
     b = [(value(me, 9, k), k = 1, n)]
  end do

  call reductions()
  ! nonblocking (s is the same on all ranks here)
  call MPI_Ialltoall(s, 1, MPI_INTEGER, r, 1, MPI_INTEGER, world, req)
  call MPI_Wait(req, st)
  call check(all(r(1:min(p,n),0) == s(me+1,0)), 'ialltoall')

  call MPI_Comm_free(twin)
  if (me == 0) print '(a,i0,a)', 'ok ', ncalls, ' calls'
  call MPI_Finalize(ierr)

contains

  pure integer function value(from, to, k)
    integer, intent(in) :: from, to, k
    value = 10000*from + 100*to + k
  end function value

  subroutine fill()
    do j = 0, p-1
       s(:,j) = [(value(me, j, k), k = 1, n)]
    end do
  end subroutine fill

  function transposed()
    integer :: transposed(n,0:p-1), from, m
    do from = 0, p-1
       transposed(:,from) = [(value(from, me, m), m = 1, n)]
    end do
  end function transposed

  subroutine check_v(what)
    character(*), intent(in) :: what
    integer :: from, m
    do from = 0, p-1
       do m = 1, n
          call check(r(m,p-1-from) == merge(value(from, me, m), -7, m <= rc(from+1)), what)
       end do
    end do
  end subroutine check_v

  ! With ierror, without, in place; sums of integers, and a largest number with its place.
  subroutine reductions()
    double precision :: mine(2), largest(2)
    integer :: sums(n)
    sums = [(p*k + p*(p-1)/2, k = 1, n)]
    b = [(me + k, k = 1, n)]
    r = -1
    call MPI_Allreduce(b, r(:,0), n, MPI_INTEGER, MPI_SUM, world, ierr)
    call done(ierr)
    call check(all(r(:,0) == sums), 'allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, twin)
    call done()
    call check(all(b == sums), 'allreduce in place')
    mine = [dble(mod(me + 1, p)), dble(me)]
    call MPI_Allreduce(mine, largest, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, world)
    call done()
    call check(nint(largest(1)) == p - 1 .and. nint(largest(2)) == mod(2*p - 2, p), 'a largest number')
    b = [(me + k, k = 1, n)]
    r = -1
    call MPI_Reduce(b, r(:,0), n, MPI_INTEGER, MPI_MAX, p-1, world)
    call done()
    call check(all(r(:,0) == [(merge(p - 1 + k, -1, me == p-1), k = 1, n)]), 'reduce')
    rc = n
    call fill()
    call MPI_Reduce_scatter(s, b, rc, MPI_INTEGER, MPI_SUM, world, ierr)
    call done(ierr)
    call check(all(b == [(10000*p*(p-1)/2 + p*(100*me + k), k = 1, n)]), 'reduce_scatter')
    r(:,0) = b
    call MPI_Reduce_scatter_block(s, b, n, MPI_INTEGER, MPI_SUM, twin)
    call done()
    call check(all(b == r(:,0)), 'reduce_scatter_block')
    call MPI_Barrier(world)
    call done()
    call MPI_Bcast(s, size(s), MPI_INTEGER, 0, world)
    call done()
  end subroutine reductions

  subroutine done(code)
    integer, intent(in), optional :: code
    if (present(code)) call check(code == MPI_SUCCESS, 'an error code')
    ncalls = ncalls + 1
  end subroutine done

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print *, 'usempif08: wrong result on rank ', me, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 9)
    error stop 9
  end subroutine check

  ! Explicit shapes: the compiler copies what is not contiguous.
  subroutine bcast_copy(a, m)
    integer, intent(in) :: m
    integer, intent(inout) :: a(m)
    call MPI_Bcast(a, m, MPI_INTEGER, root, world, ierr)
    call done(ierr)
  end subroutine bcast_copy

  subroutine gather_copy(a, m)
    integer, intent(in) :: m
    integer, intent(in) :: a(m)
    call MPI_Gather(a, m, MPI_INTEGER, r, m, MPI_INTEGER, root, world)
    call done()
  end subroutine gather_copy
end program fusempif08
