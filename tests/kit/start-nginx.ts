import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { freePort } from './free-port.ts'
import { tempFolder } from './temp-folder.ts'

/** Where Debian installs it. */
export const NGINX = '/usr/sbin/nginx'

/** A site on a server of its own. */
export interface PlainServer {
  url: string
  port: number
  pid: number
  /** The paths that were asked for, in order. */
  asked(): Promise<string[]>
  close(): Promise<void>
}

/**
 * Serves the files, by their paths, by nginx as it is installed, with its own media types. `log: false` leaves out the
 * log that `asked` reads.
 */
export async function startNginx(
  files: Record<string, Uint8Array | string>,
  { log = true } = {},
): Promise<PlainServer> {
  const folder = await tempFolder()
  const port = await freePort()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'site', path)), { recursive: true })
    await writeFile(join(folder, 'site', path), content)
  }
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, log))
  const server = spawn(NGINX, ['-p', folder, '-c', 'nginx.conf', '-e', 'errors'], { stdio: 'ignore' })
  const ended = once(server, 'exit')
  const url = `http://localhost:${port}`
  while (!(await fetch(`${url}/robots.txt`).catch(() => undefined))) {
    if (server.exitCode !== null) throw new Error(await readFile(join(folder, 'errors'), 'utf8'))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const before = 1
  return {
    url,
    port,
    pid: server.pid ?? 0,
    asked: async () => (await readFile(join(folder, 'asked'), 'utf8')).split('\n').slice(before, -1),
    async close() {
      server.kill()
      await ended
    },
  }
}

function configuration(folder: string, port: number, log: boolean): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${folder}/temporary;`,
  )
  return `daemon off; master_process off; pid ${folder}/pid;
    events {}
    http {
      include /etc/nginx/mime.types;
      default_type application/octet-stream;
      log_format path '$request_uri';
      access_log ${log ? `${folder}/asked path` : 'off'};
      sendfile on;
      # By default a connection ends after a thousand requests.
      keepalive_requests 10000000;
      absolute_redirect off;
      ${temporary.join('\n')}
      server {
        listen 127.0.0.1:${port};
        root ${folder}/site;
        error_page 404 /404.html;
      }
    }`
}
