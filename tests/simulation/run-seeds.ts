import { registerHooks } from 'node:module'

/**
 * Runs seeds without vitest: `run-seeds.ts first last [step] [most]` prints a line for each seed that finds something wrong,
 * at most `most` of them, then one line of JSON with what was met, and ends with 1 where anything was wrong. With
 * `--import path` it only imports a module of the project. Where an import fails it ends with 2.
 */
registerHooks({
  resolve(specifier, context, next) {
    const stub = new URL('./cloudflare-workers.ts', import.meta.url).href
    return specifier === 'cloudflare:workers' ? { url: stub, shortCircuit: true } : next(specifier, context)
  },
})

/** Of so many seeds one is run with withdrawals as well. */
const WITHDRAWALS_EVERY = 50

const [first = '', last = '', step = '1', most = '1'] = process.argv.slice(2)
function notImported(error: unknown): never {
  console.error(error)
  process.exit(2)
}

if (first === '--import') {
  await import(new URL(`../../${last}`, import.meta.url).href).catch(notImported)
} else {
  const { runSeed } = await import('./run-seed.ts').catch(notImported)
  const met: Record<string, number> = {}
  const failed: number[] = []
  let seeds = 0
  for (let seed = Number(first); seed <= Number(last) && failed.length < Number(most); seed += Number(step)) {
    const found: string[] = []
    // Some are run once more with withdrawals, which take four times as long.
    for (const withdrawals of seed % WITHDRAWALS_EVERY === 0 ? [false, true] : [false]) {
      const { problems, log } = await runSeed(seed, { withdrawals })
      for (const line of log) {
        const kind = line.replace(/[0-9a-f]{64}|-?\d+/g, '#').split(':')[0] ?? ''
        met[kind] = (met[kind] ?? 0) + 1
      }
      if (problems.length > 0) found.push(`${withdrawals ? 'with withdrawals, ' : ''}${problems.join('; ')}`)
    }
    seeds++
    if (found.length === 0) continue
    failed.push(seed)
    console.log(`replay with SEED=${seed}: ${found.join('; ')}`)
  }
  console.log(JSON.stringify({ seeds, failed, met }))
  process.exit(failed.length > 0 ? 1 : 0)
}
process.exit(0)
