import { writeFileSync } from 'node:fs'
import { commandDocument } from '../cli/describe/command-document.ts'
import { COMMANDS } from '../cli/table/command-table.ts'

writeFileSync(new URL('../docs/command.md', import.meta.url), commandDocument(COMMANDS))
