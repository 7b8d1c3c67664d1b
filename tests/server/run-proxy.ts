import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WHOLE_CERTIFICATE } from '../kit/test-certificates.ts'

export const API = 'api.probe.test'
export const CONTENT = 'probe-content.test'

export interface RunningProxy {
  /** The address of its ports 80 and 443. */
  address: string
  stop(): Promise<void>
}

/** A proxy of `deploy/`: how its file becomes one of this test's hosts, addresses and certificates. */
interface Proxy {
  program: string
  address: string
  write(files: TestFiles): string
  args(file: string, folder: string): string[]
}

interface TestFiles {
  folder: string
  address: string
  /** Where the service listens. */
  upstream: string
  /** Where it answers the machine itself. */
  internal: string
  cert: string
  key: string
}

const deployed = (name: string): string => readFileSync(join(import.meta.dirname, '..', '..', 'deploy', name), 'utf8')

function withHosts(text: string): string {
  return text.replaceAll('content.example', CONTENT).replaceAll('api.example', API)
}

export const PROXIES: Record<'nginx' | 'caddy', Proxy> = {
  nginx: {
    program: 'nginx',
    address: '127.0.5.1',
    write({ folder, address, upstream, cert, key }) {
      const shared = join(folder, 'proxy.conf')
      writeFileSync(shared, deployed('proxy.conf'))
      const servers = withHosts(deployed('nginx.conf'))
        .replace(/^\s*listen \[::\].*\n/gm, '')
        .replace(/listen (\d+)/g, `listen ${address}:$1`)
        .replace(/server 127\.0\.0\.1:8787/, `server ${upstream}`)
        .replace(/ssl_certificate .*;/g, `ssl_certificate ${cert};`)
        .replace(/ssl_certificate_key .*;/g, `ssl_certificate_key ${key};`)
        .replaceAll('/etc/hookline/proxy.conf', shared)
      return `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${servers}}\n`
    },
    args: (file, folder) => ['-p', folder, '-e', 'stderr', '-c', file],
  },
  caddy: {
    program: 'caddy',
    address: '127.0.5.2',
    write({ address, upstream, internal, cert, key }) {
      return withHosts(deployed('Caddyfile'))
        .replace(/^\s*tls \/.*\n/gm, '')
        .replace(/^\{\n/m, '{\n\tadmin off\n\tskip_install_trust\n')
        .replace('127.0.0.1:8788', internal)
        .replace('\ttls {\n', '\ttls internal {\n')
        .replaceAll(/^((?:api|probe-content).*) \{\n/gm, `$1 {\n\ttls ${cert} ${key}\n`)
        .replaceAll('\treverse_proxy 127.0.0.1:8787', `\tbind ${address}\n\treverse_proxy ${upstream}`)
    },
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
}

/** Whether the program of a proxy is installed. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a proxy with its file of `deploy/` in front of a service. */
export async function startProxy(
  { program, address, write, args }: Proxy,
  { folder, upstream, internal = '127.0.0.1:9' }: { folder: string; upstream: string; internal?: string },
): Promise<RunningProxy> {
  const [cert, key, file] = ['cert.pem', 'key.pem', 'proxy'].map((name) => join(folder, name))
  if (!cert || !key || !file) throw new Error('no paths')
  writeFileSync(cert, WHOLE_CERTIFICATE.cert)
  writeFileSync(key, WHOLE_CERTIFICATE.key)
  writeFileSync(file, write({ folder, address, upstream, internal, cert, key }))
  let log = ''
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(program, args(file, folder), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const output of [child.stdout, child.stderr]) output.on('data', (text: Buffer) => (log += text.toString()))
  const exited = once(child, 'exit')
  for (let tries = 0; !(await isListening(address)); tries++) {
    if (child.exitCode !== null || tries > 300) throw new Error(`${program} does not listen:\n${log}`)
    await sleep(50)
  }
  return {
    address,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function isListening(host: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port: 443 })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
