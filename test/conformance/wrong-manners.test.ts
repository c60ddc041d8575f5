/** Likewise the servers that are wrong about limits, keys, bodies, or that die (R1, R6, R13, R15, R16, R18). */
import { testWrong } from './servers/test-wrong.ts'
import { WRONG_MANNERS } from './servers/wrong/index.ts'

testWrong(WRONG_MANNERS)
