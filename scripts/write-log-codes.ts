import { readFileSync, writeFileSync } from 'node:fs'
import { LIMITS_PAGE } from './limits-document.ts'
import { withLogCodes } from './log-codes-document.ts'

writeFileSync(LIMITS_PAGE, withLogCodes(readFileSync(LIMITS_PAGE, 'utf8')))
