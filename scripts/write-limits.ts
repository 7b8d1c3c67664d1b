import { writeFileSync } from 'node:fs'
import { LIMITS_PAGE, limitsPage, withLimits } from './limits-document.ts'

writeFileSync(LIMITS_PAGE, withLimits(limitsPage()))
