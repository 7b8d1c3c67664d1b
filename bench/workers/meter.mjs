// The product with a count of what Cloudflare bills, at `/meter`. Runs beside the built Worker, whose module takes the place of the
// import.
import worker, { ChainAgent as Agent, ContentFetcher as Fetcher, ItemMerger as Merger } from '../../worker/index.ts'

const counts = {
  requests: 0,
  rowsRead: 0,
  rowsWritten: 0,
  statements: 0,
  classA: 0,
  classB: 0,
  objectRequests: 0,
  objectMs: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
}
/** Cursors of the objects' SQL: they know their rows once they were read. */
const cursors = []

/** The object with some of its properties replaced; methods keep their object. */
function replace(target, replacements) {
  return new Proxy(target, {
    get(_, key) {
      if (key in replacements) return replacements[key]
      const value = target[key]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const originals = new WeakMap()

function noted(result) {
  counts.statements++
  counts.rowsRead += result.meta.rows_read
  counts.rowsWritten += result.meta.rows_written
  return result
}

function meterStatement(statement) {
  const metered = replace(statement, {
    bind: (...values) => meterStatement(statement.bind(...values)),
    all: async () => noted(await statement.all()),
    run: async () => noted(await statement.all()),
    first: async (column) => {
      const [row = null] = noted(await statement.all()).results
      return column === undefined || row === null ? row : row[column]
    },
  })
  originals.set(metered, statement)
  return metered
}

const meterDatabase = (db) =>
  replace(db, {
    prepare: (sql) => meterStatement(db.prepare(sql)),
    batch: async (statements) => (await db.batch(statements.map((one) => originals.get(one) ?? one))).map(noted),
  })

function meterUpload(upload) {
  return replace(upload, {
    uploadPart: (...args) => counted('classA', upload.uploadPart(...args)),
    complete: (...args) => counted('classA', upload.complete(...args)),
  })
}

function counted(name, value) {
  counts[name]++
  return value
}

/** Deletions and the end of an upload that fails cost nothing. */
const meterBucket = (bucket) =>
  replace(bucket, {
    get: (...args) => counted('classB', bucket.get(...args)),
    head: (...args) => counted('classB', bucket.head(...args)),
    put: (...args) => counted('classA', bucket.put(...args)),
    list: (...args) => counted('classA', bucket.list(...args)),
    createMultipartUpload: async (...args) =>
      meterUpload(await counted('classA', bucket.createMultipartUpload(...args))),
    resumeMultipartUpload: (...args) => meterUpload(bucket.resumeMultipartUpload(...args)),
  })

const meterStub = (stub) =>
  new Proxy(stub, {
    get(_, key) {
      const value = stub[key]
      if (typeof value !== 'function') return value
      return (...args) => counted('objectRequests', stub[key](...args))
    },
  })

const meterNamespace = (namespace) =>
  replace(namespace, {
    get: (...args) => meterStub(namespace.get(...args)),
    getByName: (...args) => meterStub(namespace.getByName(...args)),
  })

const metered = new WeakMap()
function meter(env) {
  const known = metered.get(env)
  if (known) return known
  const own = {
    ...env,
    DB: meterDatabase(env.DB),
    BUCKET: meterBucket(env.BUCKET),
    CHAIN_AGENT: meterNamespace(env.CHAIN_AGENT),
    CONTENT_FETCHER: meterNamespace(env.CONTENT_FETCHER),
    ITEM_MERGER: meterNamespace(env.ITEM_MERGER),
  }
  metered.set(env, own)
  return own
}

function meterStorage(storage) {
  const read = (keys) => {
    counts.objectRowsRead += Array.isArray(keys) ? keys.length : 1
  }
  const written = (keys) => {
    counts.objectRowsWritten += typeof keys === 'object' ? (keys.length ?? Object.keys(keys).length) : 1
  }
  const { sql } = storage
  return replace(storage, {
    sql: replace(sql, {
      exec: (...args) => {
        const cursor = sql.exec(...args)
        cursors.push(cursor)
        return cursor
      },
    }),
    get: (...args) => {
      read(args[0])
      return storage.get(...args)
    },
    getAlarm: (...args) => {
      read('')
      return storage.getAlarm(...args)
    },
    put: (...args) => {
      written(args[0])
      return storage.put(...args)
    },
    delete: (...args) => {
      written(args[0])
      return storage.delete(...args)
    },
    setAlarm: (...args) => {
      written('')
      return storage.setAlarm(...args)
    },
  })
}

/** The class, with the time in which each call runs; calls at once are counted one by one, which is more than is billed. */
function meterClass(Base) {
  class Metered extends Base {
    constructor(state, env) {
      Object.defineProperty(state, 'storage', { value: meterStorage(state.storage) })
      super(state, meter(env))
    }
  }
  for (const name of Object.getOwnPropertyNames(Base.prototype)) {
    if (name === 'constructor') continue
    const method = Base.prototype[name]
    Metered.prototype[name] = async function timed(...args) {
      if (name === 'alarm') counts.objectRequests++
      const began = Date.now()
      try {
        return await method.apply(this, args)
      } finally {
        counts.objectMs += Date.now() - began
      }
    }
  }
  return Metered
}

export const ChainAgent = meterClass(Agent)
export const ContentFetcher = meterClass(Fetcher)
export const ItemMerger = meterClass(Merger)

export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === '/meter') {
      const rows = (name) => cursors.reduce((sum, cursor) => sum + cursor[name], 0)
      const { objectRowsRead, objectRowsWritten } = counts
      return Response.json({
        ...counts,
        objectRowsRead: objectRowsRead + rows('rowsRead'),
        objectRowsWritten: objectRowsWritten + rows('rowsWritten'),
      })
    }
    counts.requests++
    return worker.fetch(request, meter(env), ctx)
  },
  scheduled(controller, env, ctx) {
    counts.requests++
    return worker.scheduled(controller, meter(env), ctx)
  },
}
