C The nine collectives from Fortran 77 with mpif.h: results against
C values computed by hand, MPI_IN_PLACE, MPI_BOTTOM, sections made
C contiguous. Prints "ok N calls" (on rank 0).
C Buffers of different kinds go through one implicit interface:
C compile with -fallow-argument-mismatch or -std=legacy.
      PROGRAM FMPIF
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER MAXP, N
      PARAMETER (MAXP=64, N=37)
      INTEGER IERR, ME, P, I, J, K, NCALLS, ROOT
      INTEGER S(MAXP*N), R(MAXP*N), B(N), G(2*N, MAXP)
      INTEGER SC(MAXP), SD(MAXP), RC(MAXP), RD(MAXP)
      DOUBLE PRECISION D(MAXP*N), E(MAXP*N)
      INTEGER X, Y(3), T, LENS(2), REQ
      INTEGER ST(MPI_STATUS_SIZE)
      INTEGER(KIND=MPI_ADDRESS_KIND) AT(2)
      VOLATILE X, Y
      COMMON /COUNTS/ NCALLS

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, ME, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, P, IERR)
      IF (P .GT. MAXP) CALL FAIL('too many ranks')
      NCALLS = 0

C     MPI_ALLTOALL, two kinds of number
      DO J = 0, P-1
         DO K = 1, N
            S(J*N+K) = 10000*ME + 100*J + K
            D(J*N+K) = S(J*N+K) + 0.5D0
         END DO
      END DO
      CALL MPI_ALLTOALL(S, N, MPI_INTEGER, R, N, MPI_INTEGER,
     &     MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      CALL MPI_ALLTOALL(D, N, MPI_DOUBLE_PRECISION, E, N,
     &     MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO J = 0, P-1
         DO K = 1, N
            I = 10000*J + 100*ME + K
            IF (R(J*N+K) .NE. I) CALL FAIL('alltoall')
            IF (NINT(2*E(J*N+K)) .NE. 2*I + 1)
     &           CALL FAIL('alltoall double')
         END DO
      END DO
C     in place
      CALL MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, S, N,
     &     MPI_INTEGER, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO I = 1, P*N
         IF (S(I) .NE. R(I)) CALL FAIL('alltoall in place')
      END DO

C     MPI_ALLTOALLV: J+1 numbers from each to rank J, the blocks far
C     apart and received in descending order
      DO J = 0, P-1
         SC(J+1) = MOD(J, N) + 1
         SD(J+1) = J*N
         RC(J+1) = MOD(ME, N) + 1
         RD(J+1) = (P-1-J)*N
         DO K = 1, N
            S(J*N+K) = 10000*ME + 100*J + K
            R(J*N+K) = -7
         END DO
      END DO
      CALL MPI_ALLTOALLV(S, SC, SD, MPI_INTEGER, R, RC, RD,
     &     MPI_INTEGER, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO J = 0, P-1
         DO K = 1, N
            I = -7
            IF (K .LE. RC(J+1)) I = 10000*J + 100*ME + K
            IF (R(RD(J+1)+K) .NE. I) CALL FAIL('alltoallv')
         END DO
      END DO
C     in place: three numbers between all
      DO J = 0, P-1
         RC(J+1) = 3
         RD(J+1) = J*N
      END DO
      CALL MPI_ALLTOALLV(MPI_IN_PLACE, SC, SD, MPI_INTEGER, S, RC, RD,
     &     MPI_INTEGER, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO J = 0, P-1
         DO K = 1, N
            I = 10000*ME + 100*J + K
            IF (K .LE. 3) I = 10000*J + 100*ME + K
            IF (S(J*N+K) .NE. I) CALL FAIL('alltoallv in place')
         END DO
      END DO

      DO ROOT = 0, P-1
C        MPI_BCAST
         DO K = 1, N
            B(K) = -1
            IF (ME .EQ. ROOT) B(K) = 1000*ROOT + K
         END DO
         CALL MPI_BCAST(B, N, MPI_INTEGER, ROOT, MPI_COMM_WORLD, IERR)
         CALL DONE(IERR)
         DO K = 1, N
            IF (B(K) .NE. 1000*ROOT + K) CALL FAIL('bcast')
         END DO
C        MPI_BCAST from MPI_BOTTOM: a type of absolute addresses
         X = 0
         Y(3) = 0
         IF (ME .EQ. ROOT) THEN
            X = ROOT + 5
            Y(3) = ROOT + 6
         END IF
         Y(2) = ME
         CALL MPI_GET_ADDRESS(X, AT(1), IERR)
         CALL MPI_GET_ADDRESS(Y(3), AT(2), IERR)
         LENS(1) = 1
         LENS(2) = 1
         CALL MPI_TYPE_CREATE_HINDEXED(2, LENS, AT, MPI_INTEGER, T,
     &        IERR)
         CALL MPI_TYPE_COMMIT(T, IERR)
         CALL MPI_BCAST(MPI_BOTTOM, 1, T, ROOT, MPI_COMM_WORLD, IERR)
         CALL DONE(IERR)
         IF (X .NE. ROOT+5 .OR. Y(3) .NE. ROOT+6 .OR. Y(2) .NE. ME)
     &        CALL FAIL('bcast from MPI_BOTTOM')
C        MPI_GATHER from MPI_BOTTOM
         X = ME
         Y(3) = 100 + ME
         CALL MPI_GATHER(MPI_BOTTOM, 1, T, R, 2, MPI_INTEGER, ROOT,
     &        MPI_COMM_WORLD, IERR)
         CALL DONE(IERR)
         IF (ME .EQ. ROOT) THEN
            DO J = 0, P-1
               IF (R(2*J+1) .NE. J .OR. R(2*J+2) .NE. 100+J)
     &              CALL FAIL('gather from MPI_BOTTOM')
            END DO
         END IF
         CALL MPI_TYPE_FREE(T, IERR)
C        MPI_SCATTER, in place at the root
         DO I = 1, P*N
            S(I) = 1000*ROOT + I
         END DO
         CALL MPI_SCATTER(S, N, MPI_INTEGER, B, N, MPI_INTEGER, ROOT,
     &        MPI_COMM_WORLD, IERR)
         CALL DONE(IERR)
         DO K = 1, N
            IF (B(K) .NE. 1000*ROOT + ME*N + K) CALL FAIL('scatter')
            B(K) = B(K) + 1
         END DO
         IF (ME .EQ. ROOT) THEN
            CALL MPI_SCATTER(S, N, MPI_INTEGER, MPI_IN_PLACE, N,
     &           MPI_INTEGER, ROOT, MPI_COMM_WORLD, IERR)
         ELSE
            CALL MPI_SCATTER(S, N, MPI_INTEGER, B, N, MPI_INTEGER,
     &           ROOT, MPI_COMM_WORLD, IERR)
         END IF
         CALL DONE(IERR)
         DO K = 1, N
            I = 1000*ROOT + ME*N + K
            IF (ME .EQ. ROOT) I = I + 1
            IF (B(K) .NE. I) CALL FAIL('scatter in place')
         END DO
C        MPI_GATHER, in place at the root
         DO K = 1, N
            B(K) = 100*ME + K
         END DO
         CALL MPI_GATHER(B, N, MPI_INTEGER, R, N, MPI_INTEGER, ROOT,
     &        MPI_COMM_WORLD, IERR)
         CALL DONE(IERR)
         IF (ME .EQ. ROOT) THEN
            DO J = 0, P-1
               DO K = 1, N
                  IF (R(J*N+K) .NE. 100*J+K) CALL FAIL('gather')
                  IF (J .NE. ME) R(J*N+K) = 0
               END DO
            END DO
            CALL MPI_GATHER(MPI_IN_PLACE, N, MPI_INTEGER, R, N,
     &           MPI_INTEGER, ROOT, MPI_COMM_WORLD, IERR)
            DO J = 0, P-1
               DO K = 1, N
                  IF (R(J*N+K) .NE. 100*J+K)
     &                 CALL FAIL('gather in place')
               END DO
            END DO
         ELSE
            CALL MPI_GATHER(B, N, MPI_INTEGER, R, N, MPI_INTEGER,
     &           ROOT, MPI_COMM_WORLD, IERR)
         END IF
         CALL DONE(IERR)
      END DO

C     MPI_ALLGATHER, of a section (the compiler copies it), in place
      DO K = 1, N
         B(K) = 100*ME + K
      END DO
      CALL MPI_ALLGATHER(B, N, MPI_INTEGER, R, N, MPI_INTEGER,
     &     MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO J = 0, P-1
         DO K = 1, N
            IF (R(J*N+K) .NE. 100*J+K) CALL FAIL('allgather')
            IF (J .NE. ME) R(J*N+K) = 0
         END DO
      END DO
      CALL MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_INTEGER, R, N,
     &     MPI_INTEGER, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO J = 0, P-1
         DO K = 1, N
            IF (R(J*N+K) .NE. 100*J+K) CALL FAIL('allgather in place')
         END DO
      END DO
      DO J = 1, P
         DO K = 1, 2*N
            G(K, J) = -3
         END DO
      END DO
      DO K = 1, N
         G(2*K, ME+1) = 100*ME + K
      END DO
      CALL SECTION(G(2:2*N:2, ME+1), N, R)
      DO J = 0, P-1
         DO K = 1, N
            IF (R(J*N+K) .NE. 100*J+K) CALL FAIL('section')
         END DO
      END DO
C     a section as destination: copied back
      DO K = 1, N
         G(2*K, 1) = 0
         IF (ME .EQ. P-1) G(2*K, 1) = 7*K
      END DO
      CALL SPREAD1(G(2:2*N:2, 1), N, P-1)
      DO K = 1, N
         IF (G(2*K, 1) .NE. 7*K .OR. G(2*K-1, 1) .NE. -3)
     &        CALL FAIL('section as destination')
      END DO

C     MPI_ALLGATHERV: J+1 numbers of rank J, in descending order
      DO J = 0, P-1
         RC(J+1) = MOD(J, N) + 1
         RD(J+1) = (P-1-J)*N
         DO K = 1, N
            R(J*N+K) = -7
            S(J*N+K) = -7
         END DO
      END DO
      DO K = 1, N
         B(K) = 100*ME + K
         IF (K .LE. RC(ME+1)) S(RD(ME+1)+K) = B(K)
      END DO
      CALL MPI_ALLGATHERV(B, RC(ME+1), MPI_INTEGER, R, RC, RD,
     &     MPI_INTEGER, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      CALL MPI_ALLGATHERV(MPI_IN_PLACE, 0, MPI_INTEGER, S, RC, RD,
     &     MPI_INTEGER, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO J = 0, P-1
         DO K = 1, N
            I = -7
            IF (K .LE. RC(J+1)) I = 100*J + K
            IF (R(RD(J+1)+K) .NE. I) CALL FAIL('allgatherv')
            IF (S(RD(J+1)+K) .NE. I) CALL FAIL('allgatherv in place')
         END DO
      END DO
C     MPI_GATHERV of the same numbers, and MPI_SCATTERV back, which is
C     in place at the root
      DO ROOT = 0, P-1
         DO I = 1, P*N
            R(I) = -7
         END DO
         CALL MPI_GATHERV(B, RC(ME+1), MPI_INTEGER, R, RC, RD,
     &        MPI_INTEGER, ROOT, MPI_COMM_WORLD, IERR)
         CALL DONE(IERR)
         DO I = 1, P*N
            IF (ME .EQ. ROOT .AND. R(I) .NE. S(I)) CALL FAIL('gatherv')
            IF (ME .NE. ROOT .AND. R(I) .NE. -7) CALL FAIL('gatherv')
         END DO
         DO K = 1, N
            B(K) = -9
         END DO
         IF (ME .EQ. ROOT) THEN
            CALL MPI_SCATTERV(R, RC, RD, MPI_INTEGER, MPI_IN_PLACE, 0,
     &           MPI_INTEGER, ROOT, MPI_COMM_WORLD, IERR)
         ELSE
            CALL MPI_SCATTERV(R, RC, RD, MPI_INTEGER, B, RC(ME+1),
     &           MPI_INTEGER, ROOT, MPI_COMM_WORLD, IERR)
         END IF
         CALL DONE(IERR)
         DO K = 1, N
            I = -9
            IF (ME .NE. ROOT .AND. K .LE. RC(ME+1)) I = 100*ME + K
            IF (B(K) .NE. I) CALL FAIL('scatterv')
            B(K) = 100*ME + K
         END DO
      END DO

      CALL REDUCED

C     nonblocking (S is the same on all ranks here)
      CALL MPI_IALLTOALL(S, 1, MPI_INTEGER, R, 1, MPI_INTEGER,
     &     MPI_COMM_WORLD, REQ, IERR)
      CALL MPI_WAIT(REQ, ST, IERR)
      DO J = 1, P
         IF (R(J) .NE. S(ME+1)) CALL FAIL('ialltoall')
      END DO

      IF (ME .EQ. 0) PRINT '(A,I0,A)', 'ok ', NCALLS, ' calls'
      CALL MPI_FINALIZE(IERR)
      END

      SUBROUTINE SECTION(A, N, R)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, A(N), R(*), IERR
      CALL MPI_ALLGATHER(A, N, MPI_INTEGER, R, N, MPI_INTEGER,
     &     MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      END

      SUBROUTINE SPREAD1(A, N, ROOT)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, A(N), ROOT, IERR
      CALL MPI_BCAST(A, N, MPI_INTEGER, ROOT, MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      END

C     Reductions of integers, whose sums any order has.
      SUBROUTINE REDUCED
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, ME, P, K, IERR
      PARAMETER (N = 64)
      INTEGER A(N), B(N), COUNTS(N)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, ME, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, P, IERR)
      DO K = 1, N
         A(K) = ME + K
         B(K) = -1
         COUNTS(K) = 1
      END DO
      CALL MPI_REDUCE(A, B, N, MPI_INTEGER, MPI_SUM, 0,
     &     MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO K = 1, N
         IF (ME .EQ. 0 .AND. B(K) .NE. P*K + P*(P-1)/2)
     &        CALL FAIL('reduce')
         IF (ME .NE. 0 .AND. B(K) .NE. -1) CALL FAIL('reduce')
      END DO
      CALL MPI_REDUCE_SCATTER(A, B, COUNTS, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      IF (B(1) .NE. P*(ME+1) + P*(P-1)/2) CALL FAIL('reduce_scatter')
      CALL MPI_REDUCE_SCATTER_BLOCK(A, B, 1, MPI_INTEGER, MPI_MAX,
     &     MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      IF (B(1) .NE. P + ME) CALL FAIL('reduce_scatter_block')
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, A, N, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      DO K = 1, N
         IF (A(K) .NE. P*K + P*(P-1)/2) CALL FAIL('allreduce')
      END DO
      CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
      CALL DONE(IERR)
      END

      SUBROUTINE DONE(IERR)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER IERR, NCALLS
      COMMON /COUNTS/ NCALLS
      IF (IERR .NE. MPI_SUCCESS) CALL FAIL('an error code')
      NCALLS = NCALLS + 1
      END

      SUBROUTINE FAIL(WHAT)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      CHARACTER*(*) WHAT
      INTEGER IERR
      PRINT *, 'mpif: wrong result: ', WHAT
      CALL MPI_ABORT(MPI_COMM_WORLD, 9, IERR)
      STOP 9
      END
