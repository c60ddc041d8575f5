/** Likewise the servers of people in a hurry, each with a habit of their framework (R3, R7, R9, R10, R13, R16). */
import { testWrong } from './servers/test-wrong.ts'
import { WRONG_HABITS } from './servers/wrong/index.ts'

testWrong(WRONG_HABITS)
