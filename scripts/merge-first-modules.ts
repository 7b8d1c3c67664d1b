import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'

/** The one module of all that a Worker evaluates when it starts. */
export const FIRST = 'first.mjs'

/**
 * Makes one module of the main module and of all that it imports, not by `import()`: esbuild splits what several parts share
 * into a module for each set of parts, of which the start had 150. One is 18 % smaller by gzip (230 KB, then 189). The main module then only exports
 * from it what the platform looks for; the other modules import from it.
 */
export async function mergeFirstModules(outdir: string, entry: string, outputs: Metafile['outputs'], root: string) {
  const modules = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  const first = firstModules(modules, entry)
  const names = [...first]
  const exported = names.map((name, index) => {
    const list = modules.get(name)?.exports ?? []
    return { name, list, as: (one: string) => (name === entry ? one : `${one}_${index}`) }
  })
  const lines = exported
    .filter(({ list }) => list.length > 0)
    .map(({ name, list, as }) => `export { ${list.map((one) => `${one} as ${as(one)}`).join(', ')} } from './${name}'`)
  // The main module is evaluated in its own order, with all that it imports.
  const source = [`import './${entry}'`, ...lines].join('\n')
  const common = {
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    logLevel: 'error',
    absWorkingDir: root,
  } as const
  const others = [...modules.keys()].filter((name) => name.endsWith('.mjs') && !first.has(name))
  const external = ['node:*', 'cloudflare:*', '*.br', '*.pack', '*.wasm']
  const merged = await build({
    ...common,
    stdin: { contents: source, resolveDir: outdir },
    external: [...external, ...others.map((name) => `./${name}`)],
    metafile: true,
    outfile: join(outdir, FIRST),
  })
  const rewritten = await Promise.all(
    others.map((name) =>
      build({
        ...common,
        entryPoints: [join(outdir, name)],
        external: [...external, `./${FIRST}`, ...others.filter((other) => other !== name).map((other) => `./${other}`)],
        outfile: join(outdir, name),
        plugins: [importFromFirst(exported)],
      }),
    ),
  )
  for (const name of names) await rm(join(outdir, name))
  for (const { outputFiles } of [merged, ...rewritten]) {
    for (const { path, contents } of outputFiles) await writeFile(path, contents)
  }
  const own = modules.get(entry)?.exports ?? []
  await writeFile(join(outdir, entry), `export{${own.join(',')}}from"./${FIRST}";`)
}

function firstModules(modules: ReadonlyMap<string, Metafile['outputs'][string]>, entry: string): Set<string> {
  const first = new Set([entry])
  for (const name of first) {
    for (const { kind, external, path } of modules.get(name)?.imports ?? []) {
      if (kind !== 'dynamic-import' && !external && path.endsWith('.mjs')) first.add(basename(path))
    }
  }
  return first
}

/** Has imports of the merged modules import from the one that they are in. */
function importFromFirst(exported: readonly { name: string; list: string[]; as: (one: string) => string }[]): Plugin {
  return {
    name: 'import-from-first',
    setup(bundler) {
      bundler.onResolve({ filter: /^\.\/.*\.mjs$/ }, ({ path }) => {
        const name = basename(path)
        return exported.some((one) => one.name === name) ? { path: name, namespace: 'merged' } : undefined
      })
      bundler.onLoad({ filter: /.*/, namespace: 'merged' }, ({ path }) => {
        const { list = [], as = String } = exported.find((one) => one.name === path) ?? {}
        const names = list.map((one) => `${as(one)} as ${one}`).join(', ')
        return { contents: `export { ${names} } from './${FIRST}'`, resolveDir: '/' }
      })
    },
  }
}
