import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { debianPackages, npmPackage, readFolder, type SiteFiles } from './packages.ts'

/** A website of others: its files, and the page of it that is opened. */
interface RealSite {
  name: string
  start: string
  files(): Promise<SiteFiles>
}

const SLIDES = ['First', 'Second', 'Third'].map(
  (name) => `<section id="${name.toLowerCase()}"><h2>${name}</h2></section>`,
)

const SPECIFICATION = {
  openapi: '3.0.0',
  info: { title: 'Lighthouses', version: '1' },
  paths: {
    '/openapi.json': {
      get: { tags: ['lights'], summary: 'What this page is made of', responses: { 200: { description: 'It' } } },
    },
  },
}

/** Debian's and npm's, as they are installed. What a package leaves to its user (a document, slides) is written here. */
export const REAL_SITES = {
  sphinx: {
    name: 'documents by Sphinx',
    start: '',
    files: async () => {
      const names = ['python-simplejson-doc', 'libjs-sphinxdoc', 'libjs-jquery', 'libjs-underscore']
      return await readFolder(join(await debianPackages(names), 'share/doc/python-simplejson-doc'), /\.gz$/)
    },
  },
  frameset: {
    name: 'a frameset',
    start: 'frames.html',
    // Javadoc's own one, which it wrote until Java 11, around the pages that it writes now.
    files: async () => {
      const files = await javadoc()
      const classes = String(files['allclasses.html']).replace('<head>', '<head><base target="main">')
      const frames = '<frame name="classes" src="classes.html"><frame name="main" src="overview-summary.html">'
      const page = `<html><head><meta charset="utf-8"><title>All of it</title></head><frameset cols="30%,70%">${frames}</frameset></html>`
      return { ...files, 'classes.html': classes, 'frames.html': page }
    },
  },
  latin: {
    name: 'pages in ISO-8859-1',
    start: 'index.fr.html',
    files: async () => {
      const files = await readFolder(join(await debianPackages(['debian-faq-fr']), 'share/doc/debian/FAQ/fr'))
      const pages = Object.entries(files).map(([path, content]): [string, Uint8Array | string] => [
        path,
        path.endsWith('.html') ? inLatin1(String(content)) : content,
      ])
      return Object.fromEntries(pages)
    },
  },
  javadoc: { name: 'Javadoc', start: 'overview-summary.html', files: javadoc },
  mdbook: {
    name: 'mdBook',
    start: '',
    // Debian leaves out the scripts of its search and its themes.
    files: async () => {
      const folder = 'share/doc/rust-doc/html/edition-guide'
      const book = await readFolder(join(await debianPackages(['rust-doc'], folder), folder))
      const usr = await debianPackages(['libjs-highlight.js', 'fonts-font-awesome'], 'share')
      const scripts = join(usr, 'share/javascript/highlight.js')
      const icons = join(usr, 'share/fonts-font-awesome')
      // What the book links to.
      return {
        ...book,
        'highlight.js': await readFile(join(scripts, 'highlight.js')),
        'highlight.css': await readFile(join(scripts, 'styles/atelier-dune-light.css')),
        'css/font-awesome.min.css': await readFile(join(icons, 'css/font-awesome.min.css')),
        'fonts/fontawesome-webfont.woff2': await readFile(join(icons, 'fonts/fontawesome-webfont.woff2')),
      }
    },
  },
  swagger: {
    name: 'Swagger UI',
    start: '',
    files: async () => {
      const files = await readFolder(await npmPackage('swagger-ui-dist'), /\.map$|-es-|package\.json$/)
      const initializer = String(files['swagger-initializer.js'])
      return {
        ...files,
        'swagger-initializer.js': initializer.replace('https://petstore.swagger.io/v2/swagger.json', 'openapi.json'),
        'openapi.json': JSON.stringify(SPECIFICATION),
      }
    },
  },
  reveal: {
    name: 'reveal.js',
    start: '',
    files: async () => {
      const files = await readFolder(await npmPackage('reveal.js'), /\.map$|\.d\.ts$|package\.json$/)
      const page = String(files['index.html']).replace(/<section>.*<\/section>/s, SLIDES.join('\n'))
      return { ...files, 'index.html': page.replace('hash: true,', "hash: true, history: true, transition: 'none',") }
    },
  },
  boilerplate: {
    name: 'html5-boilerplate',
    start: '',
    files: async () => await readFolder(join(await npmPackage('html5-boilerplate'), 'dist')),
  },
  game: { name: 'a game', start: '', files: async () => await readFolder(await npmPackage('game-2048')) },
  pdf: {
    name: 'the viewer of pdf.js',
    // Without its small pages: it draws them anew or from the large ones, whichever is there first.
    start: 'web/viewer.html?file=/manual.pdf#pagemode=none',
    files: async () => {
      const usr = await debianPackages(['libjs-pdf', 'pdf.js-common', 'bzip2-doc'])
      const manual = await readFile(join(usr, 'share/doc/bzip2/manual.pdf.gz'))
      const viewer = await readFolder(join(usr, 'share/javascript/pdf'), /\.map$/)
      return { ...viewer, 'manual.pdf': gunzipSync(manual) }
    },
  },
} satisfies Record<string, RealSite>

export type SiteKey = keyof typeof REAL_SITES

/** What cannot be had here, by name; of the others, their files. */
export async function installSites(): Promise<{ missing: string[]; files: Map<SiteKey, SiteFiles> }> {
  const files = new Map<SiteKey, SiteFiles>()
  const missing: string[] = []
  const keys = Object.keys(REAL_SITES).filter((key): key is SiteKey => key in REAL_SITES)
  for (const key of keys) {
    const found = await REAL_SITES[key].files().catch(() => undefined)
    if (found) files.set(key, found)
    else missing.push(REAL_SITES[key].name)
  }
  return { missing, files }
}

async function javadoc(): Promise<SiteFiles> {
  const usr = await debianPackages(['libcommons-logging-java-doc'])
  return await readFolder(join(usr, 'share/doc/libcommons-logging-java/api'))
}

/** The page in that encoding, which it says; what the encoding has not is written as a reference. */
function inLatin1(page: string): Uint8Array {
  const written = page
    .replace(/UTF-8/g, 'ISO-8859-1')
    .replace(/[\u{100}-\u{10ffff}]/gu, (sign) => `&#${sign.codePointAt(0)};`)
  return Buffer.from(written, 'latin1')
}

/** Whether a program is here. */
export async function isHere(program: string): Promise<boolean> {
  return await promisify(execFile)(program, ['-v']).then(
    () => true,
    () => false,
  )
}
