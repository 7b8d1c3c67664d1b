import type { PartTools } from '../part-tools.ts'

/** Tools that read past everything this browser keeps: its database and its cache. What arrives is kept. */
export function reloadTools(tools: PartTools): Pick<PartTools, 'database' | 'download'> {
  const { database, download } = tools
  return {
    database: {
      persistent: database.persistent,
      get: async (keys) => keys.map(() => undefined),
      put: (records) => database.put(records),
      delete: (keys) => database.delete(keys),
    },
    download: (url, options) => download(url, { ...options, reload: true }),
  }
}
