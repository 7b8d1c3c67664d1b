import { request } from 'node:http'

const TIMEOUT_MS = 8_000

/**
 * Prints what the running service says of itself; 0 where it is well, otherwise 1. `listen`: INTERNAL_LISTEN, which
 * answers by any name of a host.
 */
export async function askHealth(listen: string): Promise<number> {
  const [, path] = /^unix:(.+)$/.exec(listen) ?? []
  const [, port] = /:(\d+)$/.exec(listen) ?? []
  const host = listen.replace(/:\d+$/, '').replace(/^(?:\*|0\.0\.0\.0)$/, '127.0.0.1')
  const where = path === undefined ? { host: host.replace(/^\[|\]$/g, ''), port: Number(port) } : { socketPath: path }
  return await new Promise((resolve) => {
    const failed = (error: Error) => {
      console.error(`${listen} does not answer: ${error.message}`)
      resolve(1)
    }
    const asked = request({ ...where, path: '/v0/health', timeout: TIMEOUT_MS }, (answer) => {
      answer.pipe(process.stdout)
      answer.on('end', () => resolve(answer.statusCode === 200 ? 0 : 1))
      answer.on('error', failed)
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.on('error', failed)
    asked.end()
  })
}
