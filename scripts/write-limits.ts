import { writeFileSync } from 'node:fs'
import { LIMITS_PAGE, limitsPage, withLimits } from './limits-document.ts'
import { EXAMPLE, exampleText } from './settings/settings-document.ts'

writeFileSync(LIMITS_PAGE, withLimits(limitsPage()))
writeFileSync(EXAMPLE, exampleText())
