import { readFileSync, writeFileSync } from 'node:fs'
import { LIMITS_PAGE, SETTINGS_PAGE, withLimits, withSettings } from './limits-document.ts'
import { EXAMPLE, exampleText } from './settings/settings-document.ts'

writeFileSync(LIMITS_PAGE, withLimits(readFileSync(LIMITS_PAGE, 'utf8')))
writeFileSync(SETTINGS_PAGE, withSettings(readFileSync(SETTINGS_PAGE, 'utf8')))
writeFileSync(EXAMPLE, exampleText())
