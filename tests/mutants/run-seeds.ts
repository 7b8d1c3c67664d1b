import { registerHooks } from 'node:module'

/**
 * Runs the seeds from the first argument to the second, without vitest, and ends with 1 at the first that finds something
 * wrong. `--import path` instead only imports a module, and ends with 2 where that fails.
 */
registerHooks({
  resolve(specifier, context, next) {
    const stub = new URL('../simulation/cloudflare-workers.ts', import.meta.url).href
    return specifier === 'cloudflare:workers' ? { url: stub, shortCircuit: true } : next(specifier, context)
  },
})

const [first = '', last = ''] = process.argv.slice(2)
if (first === '--import') {
  await import(new URL(`../../${last}`, import.meta.url).href).catch((error: unknown) => {
    console.error(error)
    process.exit(2)
  })
} else {
  const { runSeed } = await import('../simulation/run-seed.ts')
  for (let seed = Number(first); seed <= Number(last); seed++) {
    const { problems } = await runSeed(seed)
    if (problems.length === 0) continue
    console.error(`seed ${seed}: ${problems[0]}`)
    process.exit(1)
  }
}
process.exit(0)
