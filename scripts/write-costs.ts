import { readFileSync, writeFileSync } from 'node:fs'
import { COST_PAGE, withCosts } from './cost/cost-document.ts'

writeFileSync(COST_PAGE, withCosts(readFileSync(COST_PAGE, 'utf8')))
