import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeServer, listen } from '../../kit/loopback-server.ts'
import { type Platform, startServer } from './platforms.ts'

/** A node of the operator, which also leads to where it says, and a service that nobody named. */
const node = createServer(({ url = '' }, answer) => {
  const [, target] = /^\/to\/(.*)$/.exec(url) ?? []
  if (target === undefined) answer.end('the node')
  else answer.writeHead(302, { Location: decodeURIComponent(target) }).end()
})
const other = createServer((_, answer) => answer.end('another service'))

let nodeUrl: string
let otherUrl: string
let server: Platform

beforeAll(async () => {
  nodeUrl = `http://127.0.0.1:${await listen(node)}`
  otherUrl = `http://127.0.0.1:${await listen(other)}`
  server = await startServer([nodeUrl])
})
afterAll(async () => {
  await server?.close()
  await Promise.all([node, other].map(closeServer))
})

it('reaches what the operator named, on this machine too', async () => {
  expect(await server.run('fetch', `${nodeUrl}/`)).toBe('the node')
})

it('reaches nothing else on this machine or in its network, not by the name of the machine and not by a redirect', async () => {
  const { port } = new URL(otherUrl)
  const places = [`${otherUrl}/`, `http://localhost:${port}/`, `http://[::1]:${port}/`, 'http://10.0.0.1/']
  for (const place of [...places, `${nodeUrl}/to/${encodeURIComponent(otherUrl)}`]) {
    expect(await server.run('fetch', place), place).not.toBe('another service')
  }
})

it('has a way out for addresses of strangers that does not lead to the node either', async () => {
  for (const url of [`${nodeUrl}/`, `${otherUrl}/`]) expect(await server.run('public', url)).toBeUndefined()
})

it('does not lead there by an address of a private network in any form, nor by a name that has one', async () => {
  const { port } = new URL(otherUrl)
  const hosts = [
    'localhost',
    '127.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '10.0.0.1',
    '192.168.0.1',
    '172.16.0.1',
  ]
  for (const host of [...hosts, '169.254.169.254', '100.64.0.1', '[fd00::1]', '[fe80::1]', '0.0.0.0']) {
    for (const way of ['public', 'fetch'] as const) {
      expect(await server.run(way, `http://${host}:${port}/`), `${way} ${host}`).toBeUndefined()
    }
  }
})
