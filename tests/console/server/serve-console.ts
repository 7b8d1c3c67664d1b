import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { BuildManifest } from '../../../client-hook/build-manifest.ts'
import type { ConsoleManifest } from '../../../console/build-manifest.ts'
import { assetPolicy, consolePolicy } from '../../../console/content-policy.ts'
import { holdToDescription } from '../../kit/hold-to-description.ts'
import { closeServer, listen } from '../../kit/loopback-server.ts'
import type { ConsoleServer, Refusal } from './console-server.ts'
import { answerApi } from './fake-api.ts'
import { createState } from './fake-state.ts'
import type { UploadWeather } from './fake-uploads.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const ROOT = new URL('../../../', import.meta.url)

/** The built console with its Content-Security-Policy, and an API whose state is in memory. */
export async function serveConsole(): Promise<ConsoleServer> {
  const files = readFiles()
  const state = createState()
  const weather: UploadWeather = { cuts: [], refuse: undefined, refuseFrom: 0, largest: 0, taken: 0 }
  const streams = new Set<ServerResponse>()
  const refusals: { method: string; path: RegExp; answer: Refusal }[] = []
  const requests: string[] = []
  const undescribed: string[] = []
  let events = 0
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    requests.push(`${request.method} ${path}`)
    const refused = refusals.find(({ method, path: pattern }) => method === request.method && pattern.test(path))
    if (refused) refuseWith(request, response, refused.answer)
    else if (path === '/v0/events') stream(request, response)
    else if (!serveFile(files, path, response)) {
      noteUndescribed(request, response, path, undescribed)
      answerApi(console_, request, response).catch((error: unknown) => {
        console.error(error)
        response.destroy()
      })
    }
  })
  const stream = (request: IncomingMessage, response: ServerResponse) => {
    state.streams++
    streams.add(response)
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(': hello\n\n')
    const beat = setInterval(() => response.write(': beat\n\n'), 5000)
    request.on('close', () => {
      clearInterval(beat)
      streams.delete(response)
    })
  }
  const port = await listen(server)
  const console_: ConsoleServer = {
    origin: `http://localhost:${port}`,
    state,
    weather,
    requests,
    refuse: (method, path, answer) => void refusals.push({ method, path, answer }),
    allowAll: () => void refusals.splice(0),
    emit(type, data) {
      events++
      for (const each of streams)
        each.write(`id: ${events}\nevent: ${type}\ndata: ${JSON.stringify({ type, data })}\n\n`)
    },
    cutStreams() {
      for (const each of streams) each.destroy()
    },
    async close() {
      await closeServer(server)
      if (undescribed.length > 0) throw new Error([...new Set(undescribed)].join('\n'))
    },
  }
  return console_
}

/** Adds to `undescribed` when the answer that is given is none that the description of the API has. */
function noteUndescribed(request: IncomingMessage, response: ServerResponse, pathname: string, undescribed: string[]) {
  const end = response.end.bind(response)
  response.end = (body?: unknown) => {
    const isJson = typeof body === 'string' && body.startsWith('{')
    const answer = { headers: new Headers(isJson ? JSON_TYPE : {}), body: isJson ? body : '' }
    try {
      holdToDescription({ method: request.method ?? '', pathname, status: response.statusCode, ...answer })
    } catch (error) {
      undescribed.push(String(error))
    }
    return end(body)
  }
}

interface Served {
  file: URL
  type: string
}

function readFiles(): Map<string, Served> {
  const console_: ConsoleManifest = JSON.parse(readFileSync(new URL('console/dist/manifest.json', ROOT), 'utf8'))
  const hook: BuildManifest = JSON.parse(readFileSync(new URL('client-hook/dist/manifest.json', ROOT), 'utf8'))
  const files = new Map<string, Served>()
  for (const { path, file, type } of console_) files.set(path, { file: new URL(`console/dist/${file}`, ROOT), type })
  for (const [name, { path, type }] of Object.entries(hook)) {
    files.set(name === 'hook.js' ? '/hook.js' : path, { file: new URL(`client-hook/dist/${name}.br`, ROOT), type })
  }
  return files
}

function serveFile(files: Map<string, Served>, path: string, response: ServerResponse): boolean {
  const page =
    path === '/console' || (path.startsWith('/console/') && !/^\/console\/(assets|session|settings)/.test(path))
  const found = files.get(path) ?? (page ? files.get('/console') : undefined)
  if (!found) return false
  const origin = `http://${response.req.headers.host}`
  response.writeHead(200, {
    'Content-Type': found.type,
    'Content-Encoding': 'br',
    'X-Content-Type-Options': 'nosniff',
    ...(page && { 'Content-Security-Policy': consolePolicy({ apiOrigin: origin, storageOrigin: origin }) }),
    ...(path.startsWith('/console/assets/') && { 'Content-Security-Policy': assetPolicy({ apiOrigin: origin }) }),
    ...(path === '/frame' && { 'Content-Security-Policy': 'sandbox allow-scripts allow-forms allow-popups' }),
  })
  response.end(readFileSync(found.file))
  return true
}

function refuseWith(request: IncomingMessage, response: ServerResponse, answer: Refusal): void {
  request.resume()
  if (answer.hangs) return
  if (answer.status === 0) {
    request.socket.destroy()
    return
  }
  response.writeHead(answer.status, {
    'Content-Type': 'application/json',
    ...(answer.retryAfter !== undefined && { 'Retry-After': answer.retryAfter }),
  })
  response.end(
    JSON.stringify({ message: answer.message ?? 'The test refused it.', code: answer.code ?? 'refused_by_test' }),
  )
}
