import { VARIABLES } from '../worker/platform/config/config.ts'
import { KEYS, keyOfClass } from './object-folders.ts'

/** A module of a Worker, by the path of its file from the configuration's folder. */
interface ModuleFile {
  /** What other modules import it by. */
  name: string
  type: 'ESModule' | 'Data' | 'CompiledWasm'
  path: string
}

/** What `wrangler.toml` says of the main Worker. */
export interface MainWorker {
  compatibilityDate: string
  compatibilityFlags: readonly string[]
  database: string
  bucket: string
  objects: readonly { binding: string; className: string }[]
  limits: readonly { binding: string; limit: number; period: number }[]
  /** The binding of the version, and what it says. */
  version: { binding: string; tag: string }
  modules: readonly ModuleFile[]
}

const KINDS = { ESModule: 'esModule', Data: 'data', CompiledWasm: 'wasm' } as const

/** Set here, whatever the environment says: the entry removes these headers where no proxy is trusted. */
const FORWARDED = 'TRUST_FORWARDED_HOST'

/** The folder of the data, where a Worker sees whether there is room. */
const DISK = '(name = "DISK", service = "objects")'

/** What takes requests before the main Worker; it imports that as `service.mjs`. */
const ENTRY = moduleOf({ name: 'entry.mjs', type: 'ESModule', path: 'workers/entry.mjs' })

/**
 * How far the space of young objects grows, in each of the seven isolates (MiB). V8's own limit of 16 took 677 MB after 1,000 items
 * were stored, and this 441; bodies are freed sooner, so 1 MiB from memory takes 0.8 to 1.1 ms of processor time in place of
 * 1.4 to 4.8. With 1 in place of 4 a start and answers of 16 MiB took longer (bench/NOTES.md).
 */
const YOUNG_MIB = 4

function serviceModule({ modules: [first] }: MainWorker): string {
  const name = JSON.stringify(`./${first?.name}`)
  return `(name = "service.mjs", esModule = ${quote(`export { default } from ${name}; export * from ${name}`)})`
}

/** The text of `hookline.capnp`, which workerd reads: the main Worker and those that stand for the platform. */
export function writeCapnp(main: MainWorker): string {
  const variables = VARIABLES.filter((name) => name !== FORWARDED)
  const bindings = [
    ...variables.map((name) => fromEnvironment(name)),
    `(name = "${FORWARDED}", text = "true")`,
    `(name = ${quote(main.version.binding)}, json = ${quote(versionJson(main.version.tag))})`,
    `(name = ${quote(main.database)}, wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = "database")]))`,
    `(name = ${quote(main.bucket)}, r2Bucket = "bucket")`,
    `(name = "PUBLIC_FETCH", service = "public-network")`,
    `(name = "INTERNAL_SOCKET", text = "true")`,
    fromEnvironment('CACHE_MEMORY'),
    '(name = "CLOCK", service = "clock")',
    fromEnvironment('TRUSTED_PROXIES'),
    ...main.objects.map(
      ({ binding, className }) => `(name = ${quote(binding)}, durableObjectNamespace = ${quote(className)})`,
    ),
    ...main.limits.map(
      ({ binding, limit, period }) =>
        `(name = ${quote(binding)}, service = (name = "limits", props = (json = ${quote(JSON.stringify({ name: binding, limit, period }))})))`,
    ),
  ]
  const own = { compatibilityDate: main.compatibilityDate, compatibilityFlags: [] }
  return `# Made by scripts/build-server.ts.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  logging = (structuredLogging = true),
  v8Flags = ["--max-semi-space-size=${YOUNG_MIB}"],
  services = [
    (name = "main", worker = (
      ${compatibility(main)},
      modules = [${list([ENTRY, serviceModule(main), ...main.modules.map(moduleOf)])}],
      bindings = [${list(bindings)}],
      ${objects(main.objects.map(({ className }) => ({ className, key: keyOfClass(className) })))},
      globalOutbound = "outbound",
      cacheApiOutbound = "no-cache",
    )),
    ${ownWorker(own, 'outbound', [
      '(name = "PUBLIC", service = "public-network")',
      '(name = "PRIVATE", service = "private-network")',
      fromEnvironment('OWN_SERVICES'),
    ])},
    ${ownWorker(
      own,
      'database',
      [
        '(name = "DATABASES", durableObjectNamespace = "Database")',
        '(name = "BUCKET", service = (name = "bucket", entrypoint = "BucketReport"))',
        DISK,
        fromEnvironment('DISK_BYTES'),
      ],
      [{ className: 'Database', key: KEYS.database, stays: true }],
    )},
    ${ownWorker(own, 'bucket', ['(name = "BUCKETS", durableObjectNamespace = "Bucket")', DISK, fromEnvironment('CACHE_BYTES')], [{ className: 'Bucket', key: KEYS.bucket, stays: true }])},
    ${ownWorker(
      own,
      'clock',
      ['(name = "CLOCKS", durableObjectNamespace = "Clock")', '(name = "MAIN", service = "main")'],
      [{ className: 'Clock', key: KEYS.clock }],
    )},
    ${ownWorker(own, 'limits')},
    ${ownWorker(own, 'no-cache')},
    (name = "public-network", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    (name = "private-network", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
    (name = "objects", disk = (writable = true)),
  ],
  sockets = [
    (name = "public", http = (), service = "main"),
    (name = "internal", http = (), service = (name = "main", entrypoint = "Internal")),
  ],
);
`
}

interface ObjectClass {
  className: string
  key: string
  /** Whether the object stays in memory. */
  stays?: boolean
}

function ownWorker(
  main: Pick<MainWorker, 'compatibilityDate' | 'compatibilityFlags'>,
  name: string,
  bindings: readonly string[] = [],
  classes: readonly ObjectClass[] = [],
): string {
  const parts = [
    compatibility(main),
    `modules = [${moduleOf({ name: `${name}.mjs`, type: 'ESModule', path: `workers/${name}.mjs` })}]`,
    `bindings = [${list(bindings)}]`,
    ...(classes.length > 0 ? [objects(classes)] : []),
  ]
  return `(name = ${quote(name)}, worker = (\n      ${parts.join(',\n      ')},\n    ))`
}

function objects(classes: readonly ObjectClass[]): string {
  const namespaces = classes.map(
    ({ className, key, stays = false }) =>
      `(className = ${quote(className)}, uniqueKey = ${quote(key)}, enableSql = true, preventEviction = ${stays})`,
  )
  return `durableObjectNamespaces = [${list(namespaces)}],\n      durableObjectStorage = (localDisk = "objects")`
}

function compatibility({
  compatibilityDate,
  compatibilityFlags,
}: Pick<MainWorker, 'compatibilityDate' | 'compatibilityFlags'>): string {
  return `compatibilityDate = ${quote(compatibilityDate)}, compatibilityFlags = [${compatibilityFlags.map(quote).join(', ')}]`
}

function moduleOf({ name, type, path }: ModuleFile): string {
  return `(name = ${quote(name)}, ${KINDS[type]} = embed ${quote(path)})`
}

function versionJson(tag: string): string {
  return JSON.stringify({ id: '', tag, timestamp: '' })
}

function fromEnvironment(name: string): string {
  return `(name = ${quote(name)}, fromEnvironment = ${quote(name)})`
}

/** Cap'n Proto writes text as JSON does. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function list(items: readonly string[]): string {
  return items.map((item) => `\n        ${item},`).join('')
}
