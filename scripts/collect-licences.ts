import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Programs that are packed as they are, by their packages, and where the text of their licence is. */
const PROGRAMS: readonly { name: string; text: string }[] = [
  { name: 'Node.js (https://nodejs.org)', text: join(nodeFolder(), 'LICENSE') },
  {
    name: 'workerd (https://github.com/cloudflare/workerd), Copyright (c) 2017-2026 Cloudflare, Inc.',
    // The same licence, Apache 2.0, whose text its package has not.
    text: join(ROOT, 'node_modules', 'playwright-core', 'LICENSE'),
  },
]

/** The package of the Node that runs this, and that is packed. */
function nodeFolder(): string {
  const { resolve } = createRequire(import.meta.url)
  return dirname(createRequire(resolve('node/package.json')).resolve(`node-linux-${process.arch}/package.json`))
}

/** The licences of what is packed: ours, of the programs, and of each package that one of these files is of. */
export async function collectLicences(files: readonly string[]): Promise<string> {
  const packages = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  const texts = [
    await readFile(join(ROOT, 'LICENSE'), 'utf8'),
    await readFile(join(ROOT, 'server', 'LICENSE-miniflare'), 'utf8'),
  ]
  for (const { name, text } of PROGRAMS) texts.push(`${name}\n\n${await readFile(text, 'utf8')}`)
  for (const folder of [...packages].sort()) texts.push(await licenceOf(join(ROOT, folder)))
  return texts.map((text) => text.trim()).join(`\n\n${'='.repeat(80)}\n\n`)
}

async function licenceOf(folder: string): Promise<string> {
  const { name, license }: { name: string; license: string } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  const found = (await readdir(folder)).filter((file) => /^licen[cs]e/i.test(file))
  const texts = await Promise.all(found.map(async (file) => await readFile(join(folder, file), 'utf8')))
  return [`${name} (${license})`, ...texts].join('\n\n')
}
