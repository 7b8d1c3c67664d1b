// After Miniflare's D1 (MIT, ../../LICENSE-miniflare).
import { WorkerEntrypoint } from 'cloudflare:workers'
import { DATABASE } from '../../object-folders.ts'
import { noteFailure } from '../disk-room.ts'
import { Database } from './database-object.ts'

export { Database }

interface Env {
  DATABASES: DurableObjectNamespace<Database>
}

/** The D1 binding of the main Worker, whose requests are HTTP. */
export default class DatabaseWorker extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const { DATABASES } = this.env
    try {
      return await DATABASES.get(DATABASES.idFromName(DATABASE)).fetch(request)
    } catch (error) {
      noteFailure(error)
      throw error
    }
  }
}
