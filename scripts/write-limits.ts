import { writeFileSync } from 'node:fs'
import { limitsPage, OPERATORS_PAGE, withLimits } from './limits-document.ts'
import { EXAMPLE, exampleText } from './settings/settings-document.ts'

writeFileSync(OPERATORS_PAGE, withLimits(limitsPage()))
writeFileSync(EXAMPLE, exampleText())
