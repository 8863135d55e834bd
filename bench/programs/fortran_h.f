C     Transposes a matrix that is distributed by columns, again and
C     again; mpif.h.
C
C     Rank 0 sends the order of the matrix, the number of steps and the
C     weights of each step. In a step every rank scales its columns by
C     the weights and takes its part of the transposed matrix.
C
C       mpirun -np 8 ./fortran_h [order [steps]]
C
      PROGRAM TRANSP
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER MAXN, MAXP
      PARAMETER (MAXN = 1536, MAXP = 256)
      INTEGER RANK, RANKS, ERROR, N, WIDTH, STEPS, SET(2)
      INTEGER STEP, I, J, K, P
      DOUBLE PRECISION MATRIX(MAXN*MAXN), SEND(MAXN*MAXN)
      DOUBLE PRECISION RECV(MAXN*MAXN), W(MAXN)
      DOUBLE PRECISION START, TIME, MOST
      INTEGER*8 BITS(MAXN*MAXN), HASH, HASHES(MAXP), CHECK
      EQUIVALENCE (MATRIX, BITS)
      COMMON /DATA/ MATRIX, SEND, RECV, W

      CALL MPI_INIT(ERROR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, ERROR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, ERROR)

      CALL ARGUM(1, 720, SET(1))
      CALL ARGUM(2, 20, SET(2))
      CALL MPI_BCAST(SET, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ERROR)
      N = SET(1)
      STEPS = SET(2)
      WIDTH = N/RANKS
      IF (WIDTH .LT. 1 .OR. WIDTH*RANKS .NE. N .OR. N .GT. MAXN
     &    .OR. RANKS .GT. MAXP) THEN
         IF (RANK .EQ. 0) PRINT *,
     &      'the order must be a multiple of the ranks, at most ', MAXN
         CALL MPI_ABORT(MPI_COMM_WORLD, 2, ERROR)
      END IF

C     Element I of column J is MATRIX((J - 1)*N + I).
      DO 20 J = 1, WIDTH
         DO 10 I = 1, N
            MATRIX((J - 1)*N + I) = 1D0/DBLE(I + 3*(RANK*WIDTH + J))
   10    CONTINUE
   20 CONTINUE

      CALL MPI_BARRIER(MPI_COMM_WORLD, ERROR)
      START = MPI_WTIME()
      DO 90 STEP = 1, STEPS
         IF (RANK .EQ. 0) THEN
            DO 30 I = 1, N
               W(I) = 1D0 + DBLE(MOD(I*STEP, 7))/8D0
   30       CONTINUE
         END IF
         CALL MPI_BCAST(W, N, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD,
     &                  ERROR)
         K = 0
         DO 60 P = 0, RANKS - 1
            DO 50 I = P*WIDTH + 1, (P + 1)*WIDTH
               DO 40 J = 1, WIDTH
                  K = K + 1
                  SEND(K) = MATRIX((J - 1)*N + I)*W(I)/W(RANK*WIDTH + J)
   40          CONTINUE
   50       CONTINUE
   60    CONTINUE
         CALL MPI_ALLTOALL(SEND, WIDTH*WIDTH, MPI_DOUBLE_PRECISION,
     &                     RECV, WIDTH*WIDTH, MPI_DOUBLE_PRECISION,
     &                     MPI_COMM_WORLD, ERROR)
         K = 0
         DO 85 P = 0, RANKS - 1
            DO 80 J = 1, WIDTH
               DO 70 I = P*WIDTH + 1, (P + 1)*WIDTH
                  K = K + 1
                  MATRIX((J - 1)*N + I) = RECV(K)
   70          CONTINUE
   80       CONTINUE
   85    CONTINUE
   90 CONTINUE
      TIME = MPI_WTIME() - START

      CALL MPI_REDUCE(TIME, MOST, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0,
     &                MPI_COMM_WORLD, ERROR)
      HASH = CHECK(BITS, N*WIDTH)
      CALL MPI_GATHER(HASH, 1, MPI_INTEGER8, HASHES, 1, MPI_INTEGER8, 0,
     &                MPI_COMM_WORLD, ERROR)
      IF (RANK .EQ. 0) PRINT '(3(A, I0), A, F0.6, A, I0)',
     &   'mpif.h: ', RANKS, ' ranks, order ', N, ', ', STEPS,
     &   ' steps: ', MOST, ' s  checksum ', CHECK(HASHES, RANKS)
      CALL MPI_FINALIZE(ERROR)
      END

C     The whole number at this place of the command line.
      SUBROUTINE ARGUM(PLACE, OTHER, VALUE)
      IMPLICIT NONE
      INTEGER PLACE, OTHER, VALUE
      CHARACTER*32 TEXT
      VALUE = OTHER
      CALL GET_COMMAND_ARGUMENT(PLACE, TEXT)
      IF (TEXT .NE. ' ') READ (TEXT, *) VALUE
      END

C     Depends on every bit and on the order.
      INTEGER*8 FUNCTION CHECK(WORDS, COUNT)
      IMPLICIT NONE
      INTEGER COUNT, K
      INTEGER*8 WORDS(COUNT)
      CHECK = 1
      DO 10 K = 1, COUNT
         CHECK = MOD(CHECK*65599 + IBITS(WORDS(K), 0, 32),
     &               2147483647_8)
         CHECK = MOD(CHECK*65599 + IBITS(WORDS(K), 32, 32),
     &               2147483647_8)
   10 CONTINUE
      END
