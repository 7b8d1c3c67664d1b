import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandEnd, runCommand } from './commands.ts'
import { type Mutation, mutate } from './mutation.ts'
import type { MutatedSource } from './sources.ts'

type Sources = ReadonlyMap<string, MutatedSource>

/** Not copied: what is large and read from the project itself, or is nobody's source. */
const LEFT_OUT = new Set(['node_modules', '.git', '.mutants', '.hookline', '.wrangler', 'coverage', 'docs', 'bench'])
const CHECK_MS = 300_000

/** Those of `mutations` that fail the type check, of which one of each source is checked at once, in `jobs` copies of the project. */
export async function findMistyped(
  root: string,
  mutations: readonly Mutation[],
  sources: Sources,
  jobs: number,
): Promise<Set<Mutation>> {
  const byPath = Map.groupBy(
    // In a text of SQL no type can be wrong.
    mutations.filter(({ inSql }) => !inSql),
    ({ path }) => path,
  )
  const most = Math.max(0, ...[...byPath.values()].map(({ length }) => length))
  const groups = Array.from({ length: most }, (_, nth) => [...byPath.values()].flatMap((own) => own[nth] ?? []))
  const mistyped = new Set<Mutation>()
  const check = async (index: number) => {
    const folder = join(root, '.mutants', String(index))
    copyProject(root, folder)
    try {
      const { code, output } = await checkTypes(root, folder)
      if (code !== 0) throw new Error(`The type check fails without any mutant: ${output}`)
      for (let group = groups.shift(); group; group = groups.shift()) {
        for (const mutation of await checkGroup(root, folder, group, sources)) mistyped.add(mutation)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  await Promise.all(Array.from({ length: jobs }, (_, index) => check(index)))
  return mistyped
}

function copyProject(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }
  for (const name of readdirSync(root)) {
    if (!LEFT_OUT.has(name)) cpSync(join(root, name), join(folder, name), options)
  }
}

/** Those of `group`, mutations of different sources, that fail the type check. */
async function checkGroup(
  root: string,
  folder: string,
  group: readonly Mutation[],
  sources: Sources,
): Promise<Mutation[]> {
  const write = (change: (text: string, mutation: Mutation) => string) => {
    for (const mutation of group) {
      writeFileSync(join(folder, mutation.path), change(sources.get(mutation.path)?.text ?? '', mutation))
    }
  }
  write(mutate)
  const { code, output } = await checkTypes(root, folder)
  write((text) => text)
  if (code === 0 || group.length === 1) return code === 0 ? [] : [...group]
  // A mutation may fail the check of another source, too: each that an error names is checked by itself.
  const named = group.filter(({ path }) => output.includes(path))
  const parts = [...named.map((mutation) => [mutation]), group.filter((mutation) => !named.includes(mutation))]
  const found: Mutation[] = []
  for (const part of named.length > 0 ? parts : group.map((mutation) => [mutation])) {
    if (part.length > 0) found.push(...(await checkGroup(root, folder, part, sources)))
  }
  return found
}

/** What was found of sources that have not changed is kept beside. */
function checkTypes(root: string, folder: string): Promise<CommandEnd> {
  const kept = ['--incremental', '--tsBuildInfoFile', 'worker.tsbuildinfo']
  const command = join(root, 'node_modules/.bin/tsc')
  return runCommand(command, ['-p', 'worker', '--noEmit', ...kept], { cwd: folder, timeout: CHECK_MS, env: {} })
}
