import { readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSources } from './sources.ts'
import { switchMutants } from './switch-mutants.ts'

/**
 * Imported before the runner of seeds: makes the mutation that `MUTANT` names, or writes to the file `MUTANTS_REACHED` which
 * mutations the seeds reach.
 */
const { MUTANT, MUTANTS_REACHED } = process.env
const root = join(import.meta.dirname, '../..')
const paths = readSources(root).map(({ path }) => path)
const switched = new Set(MUTANT === undefined ? paths : paths.filter((path) => MUTANT.startsWith(`${path}#`)))

const reached = new Set<string>()
globalThis.isMutated = MUTANTS_REACHED === undefined ? (id) => id === MUTANT : (id) => !reached.add(id)
process.on('exit', () => {
  if (MUTANTS_REACHED !== undefined) writeFileSync(MUTANTS_REACHED, JSON.stringify([...reached]))
})

registerHooks({
  load(url, context, next) {
    const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : ''
    if (!switched.has(path)) return next(url, context)
    const source = switchMutants(path, readFileSync(join(root, path), 'utf8'))
    return { format: 'module-typescript', shortCircuit: true, source }
  },
})
