import { readFileSync, writeFileSync } from 'node:fs'
import { OPERATORS_PAGE } from './limits-document.ts'
import { withLogCodes } from './log-codes-document.ts'

writeFileSync(OPERATORS_PAGE, withLogCodes(readFileSync(OPERATORS_PAGE, 'utf8')))
