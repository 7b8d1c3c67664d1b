import { readFileSync, writeFileSync } from 'node:fs'
import { OPERATORS_PAGE } from './limits-document.ts'
import { ALERTS_PAGE, withLogCodes, withSigns } from './log-codes-document.ts'

writeFileSync(OPERATORS_PAGE, withLogCodes(readFileSync(OPERATORS_PAGE, 'utf8')))
writeFileSync(ALERTS_PAGE, withSigns(readFileSync(ALERTS_PAGE, 'utf8')))
