! The nine collectives from Fortran 90 with "use mpi": results against values computed by hand,
! MPI_IN_PLACE, MPI_BOTTOM, arrays of two dimensions, array sections that the compiler makes
! contiguous, a derived type. Prints "ok N calls" (on rank 0).
program fusempi
  use mpi
  implicit none
  integer, parameter :: n = 41
  integer :: ierr, me, p, i, j, k, root, ncalls
  integer, allocatable :: s(:,:), r(:,:), b(:), sc(:), sd(:), rc(:), rd(:)
  double precision, allocatable :: d(:,:), e(:,:)
  double precision, volatile :: x
  double precision, allocatable, target, asynchronous :: y(:)
  integer :: t, req, st(MPI_STATUS_SIZE)
  integer(kind=MPI_ADDRESS_KIND) :: at(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  allocate(s(n,0:p-1), r(n,0:p-1), b(n), sc(p), sd(p), rc(p), rd(p), d(n,0:p-1), e(n,0:p-1), y(4))
  ncalls = 0

  ! alltoall, of whole matrices, integer and double
  s = reshape([((value(me, j, k), k = 1, n), j = 0, p-1)], [n, p])
  d = s / 4d0
  r = -1
  call MPI_Alltoall(s, n, MPI_INTEGER, r, n, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call done()
  call MPI_Alltoall(d, n, MPI_DOUBLE_PRECISION, e, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  call done()
  do j = 0, p-1
     do k = 1, n
        call check(r(k,j) == value(j, me, k), 'alltoall')
        call check(nint(4*e(k,j)) == value(j, me, k), 'alltoall of doubles')
     end do
  end do
  call MPI_Alltoall(MPI_IN_PLACE, n, MPI_INTEGER, s, n, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call done()
  call check(all(s == r), 'alltoall in place')

  ! alltoallv: from i to j min(i+j, n) numbers, so none between rank 0 and itself
  s = reshape([((value(me, j, k), k = 1, n), j = 0, p-1)], [n, p])
  do j = 0, p-1
     sc(j+1) = min(me + j, n)
     rc(j+1) = sc(j+1)
     sd(j+1) = j*n
     rd(j+1) = (p-1-j)*n
  end do
  r = -7
  call MPI_Alltoallv(s, sc, sd, MPI_INTEGER, r, rc, rd, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call done()
  do j = 0, p-1
     do k = 1, n
        i = merge(value(j, me, k), -7, k <= rc(j+1))
        call check(r(k,p-1-j) == i, 'alltoallv')
     end do
  end do
  rd = sd
  call MPI_Alltoallv(MPI_IN_PLACE, sc, sd, MPI_INTEGER, s, rc, rd, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call done()
  do j = 0, p-1
     do k = 1, n
        i = merge(value(j, me, k), value(me, j, k), k <= rc(j+1))
        call check(s(k,j) == i, 'alltoallv in place')
     end do
  end do

  do root = 0, p-1
     ! bcast of a section: every third number of a column, copied in and out
     s = -2
     if (me == root) s(1::3,p-1) = [(value(root, 5, k), k = 1, size(s(1::3,p-1)))]
     call bcast_copy(s(1::3,p-1), size(s(1::3,p-1)), root)
     do k = 1, n
        i = merge(value(root, 5, k/3+1), -2, mod(k, 3) == 1)
        call check(s(k,p-1) == i, 'bcast of a section')
     end do
     ! bcast from MPI_BOTTOM with absolute addresses
     x = merge(root + 0.25d0, 0d0, me == root)
     y = me
     if (me == root) y(2:3) = root + 0.5d0
     call MPI_Get_address(x, at(1), ierr)
     call MPI_Get_address(y(2), at(2), ierr)
     call MPI_Type_create_hindexed(2, [1, 2], at, MPI_DOUBLE_PRECISION, t, ierr)
     call MPI_Type_commit(t, ierr)
     call MPI_Bcast(MPI_BOTTOM, 1, t, root, MPI_COMM_WORLD, ierr)
     call done()
     call check(nint(4*x) == 4*root + 1 .and. all(nint(2*y(2:3)) == 2*root + 1), 'bcast from MPI_BOTTOM')
     call check(nint(y(1)) == me .and. nint(y(4)) == me, 'bcast from MPI_BOTTOM: around')
     call MPI_Type_free(t, ierr)
     ! gather from MPI_BOTTOM (addresses close together: on the way Open MPI allocates their span)
     y = [dble(me), -1d0, me + 100d0, me + 100d0]
     call MPI_Get_address(y(1), at(1), ierr)
     call MPI_Get_address(y(3), at(2), ierr)
     call MPI_Type_create_hindexed(2, [1, 2], at, MPI_DOUBLE_PRECISION, t, ierr)
     call MPI_Type_commit(t, ierr)
     e = -1
     call MPI_Gather(MPI_BOTTOM, 1, t, e, 3, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, ierr)
     call done()
     if (me == root) then
        do i = 0, p-1
           call check(nint(element(e, 3*i+1)) == i .and. nint(element(e, 3*i+3)) == i + 100, &
                'gather from MPI_BOTTOM')
        end do
     end if
     call MPI_Type_free(t, ierr)
     ! scatter; the root's own part stays in place the second time
     s = reshape([((value(root, j, k), k = 1, n), j = 0, p-1)], [n, p])
     b = 0
     call MPI_Scatter(s, n, MPI_INTEGER, b, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
     call done()
     call check(all(b == [(value(root, me, k), k = 1, n)]), 'scatter')
     b = -9
     if (me == root) then
        call MPI_Scatter(s, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
        call check(all(b == -9), 'scatter in place')
     else
        call MPI_Scatter(s, n, MPI_INTEGER, b, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
        call check(all(b == [(value(root, me, k), k = 1, n)]), 'scatter beside in place')
     end if
     call done()
     ! gather of rows: the root receives columns with a stride (a type), then in place
     b = [(value(me, 3, k), k = 1, n)]
     call gather_rows(root)
     if (me == root) then
        r = -4
        r(:,me) = b
        call MPI_Gather(MPI_IN_PLACE, n, MPI_INTEGER, r, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
        do i = 0, p-1
           call check(all(r(:,i) == [(value(i, 3, k), k = 1, n)]), 'gather in place')
        end do
     else
        call MPI_Gather(b, n, MPI_INTEGER, r, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
     end if
     call done()
  end do

  ! allgather, also in place
  b = [(value(me, 8, k), k = 1, n)]
  r = -1
  call MPI_Allgather(b, n, MPI_INTEGER, r, n, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call done()
  s = -1
  s(:,me) = b
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s, n, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call done()
  do j = 0, p-1
     do k = 1, n
        call check(r(k,j) == value(j, 8, k) .and. s(k,j) == r(k,j), 'allgather')
     end do
  end do

  ! allgatherv: mod(2j+3, n) numbers of rank j, in descending blocks; also in place
  rc = [(mod(2*j + 3, n), j = 0, p-1)]
  rd = [((p-1-j)*n, j = 0, p-1)]
  b = [(value(me, 9, k), k = 1, n)]
  r = -7
  s = -7
  s(1:rc(me+1),p-1-me) = b(1:rc(me+1))
  call MPI_Allgatherv(b, rc(me+1), MPI_INTEGER, r, rc, rd, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call done()
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s, rc, rd, MPI_INTEGER, MPI_COMM_WORLD, ierr)
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
     call MPI_Gatherv(b, rc(me+1), MPI_INTEGER, r, rc, rd, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
     call done()
     call check(all(r == merge(s, -7, me == root)), 'gatherv')
     b = -9
     if (me == root) then
        call MPI_Scatterv(r, rc, rd, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
     else
        call MPI_Scatterv(r, rc, rd, MPI_INTEGER, b, rc(me+1), MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
     end if
     call done()
     do k = 1, n
        call check(b(k) == merge(value(me, 9, k), -9, me /= root .and. k <= rc(me+1)), 'scatterv')
     end do
     b = [(value(me, 9, k), k = 1, n)]
  end do

  call reductions()

  ! nonblocking (s is the same on all ranks here)
  call MPI_Ialltoall(s, 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, req, ierr)
  call MPI_Wait(req, st, ierr)
  if (p <= n) call check(all(b(1:p) == s(me+1,0)), 'ialltoall')

  if (me == 0) print '(a,i0,a)', 'ok ', ncalls, ' calls'
  call MPI_Finalize(ierr)

contains

  pure integer function value(from, to, k)
    integer, intent(in) :: from, to, k
    value = 10000*from + 100*to + k
  end function value

  ! The i-th number of a matrix in the order of memory.
  pure double precision function element(a, i)
    double precision, intent(in) :: a(:,:)
    integer, intent(in) :: i
    element = a(mod(i-1, size(a,1)) + 1, (i-1)/size(a,1) + 1)
  end function element

  subroutine reductions()
    double precision :: d(n), e(n)
    integer :: counts(p), m
    d = [(0.5d0*(me + k), k = 1, n)]
    call MPI_Allreduce(d, e, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call done()
    call check(all(nint(2*e) == [(p*k + p*(p-1)/2, k = 1, n)]), 'allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, d, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call done()
    call check(all(nint(2*d) == nint(2*e)), 'allreduce in place')
    m = me
    call MPI_Reduce(me, m, 1, MPI_INTEGER, MPI_SUM, p-1, MPI_COMM_WORLD, ierr)
    call done()
    call check(m == merge(p*(p-1)/2, me, me == p-1), 'reduce')
    counts = n
    r = 7
    call MPI_Reduce_scatter(r, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call done()
    call check(all(b == 7*p), 'reduce_scatter')
    call MPI_Reduce_scatter_block(r, b, n, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierr)
    call done()
    call check(all(b == 7), 'reduce_scatter_block')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call done()
  end subroutine reductions

  subroutine done()
    call check(ierr == MPI_SUCCESS, 'an error code')
    ncalls = ncalls + 1
  end subroutine done

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    integer :: unused
    if (right) return
    print *, 'usempi: wrong result on rank ', me, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 9, unused)
    error stop 9
  end subroutine check

  ! An explicit shape: the compiler copies what is not contiguous.
  subroutine bcast_copy(a, m, from)
    integer, intent(in) :: m, from
    integer, intent(inout) :: a(m)
    call MPI_Bcast(a, m, MPI_INTEGER, from, MPI_COMM_WORLD, ierr)
    call done()
  end subroutine bcast_copy

  ! The vector of rank i becomes row i of a matrix.
  subroutine gather_rows(to)
    integer, intent(in) :: to
    integer :: g(0:p-1,n), row, one
    integer(kind=MPI_ADDRESS_KIND) :: four
    g = -6
    four = 4
    call MPI_Type_vector(n, 1, p, MPI_INTEGER, row, ierr)
    call MPI_Type_create_resized(row, 0_MPI_ADDRESS_KIND, four, one, ierr)
    call MPI_Type_commit(one, ierr)
    call MPI_Gather(b, n, MPI_INTEGER, g, 1, one, to, MPI_COMM_WORLD, ierr)
    call done()
    if (me == to) then
       do i = 0, p-1
          call check(all(g(i,:) == [(value(i, 3, k), k = 1, n)]), 'gather of rows')
       end do
    else
       call check(all(g == -6), 'gather: receive buffer of another rank')
    end if
    call MPI_Type_free(one, ierr)
    call MPI_Type_free(row, ierr)
  end subroutine gather_rows
end program fusempi
