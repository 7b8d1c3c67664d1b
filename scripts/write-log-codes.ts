import { readFileSync, writeFileSync } from 'node:fs'
import { ALERTS_PAGE, CODES_PAGE, withLogCodes, withSigns } from './log-codes-document.ts'

writeFileSync(CODES_PAGE, withLogCodes(readFileSync(CODES_PAGE, 'utf8')))
writeFileSync(ALERTS_PAGE, withSigns(readFileSync(ALERTS_PAGE, 'utf8')))
