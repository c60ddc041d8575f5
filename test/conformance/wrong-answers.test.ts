/**
 * Shows that the kit bites: each server that is wrong in what it answers is found, by the case that should and by no
 * other (R1-R11).
 */
import { testWrong } from './servers/test-wrong.ts'
import { WRONG_ANSWERS } from './servers/wrong/index.ts'

testWrong(WRONG_ANSWERS)
