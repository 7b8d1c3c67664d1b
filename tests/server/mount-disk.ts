import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A disk of its own for a folder, in a namespace that lasts until `end`. */
export interface Disk {
  /** What runs a command where the disk is. */
  inside: string[]
  end(): Promise<void>
}

/** Mounts a disk of `size` MiB over a folder; its file `filler` leaves `room` of them. */
export async function mountDisk(folder: string, { size, room }: { size: number; room: number }): Promise<Disk> {
  const script = `mount -t tmpfs -o size=${size}m tmpfs ${folder} && head -c ${size - room}M /dev/zero >${folder}/filler && echo done && exec sleep 10000`
  const args = ['--map-root-user', '--mount', 'sh', '-c', script]
  const holder = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(holder.stdout, 'data')
  const inside = ['nsenter', '--target', String(holder.pid), '--user', '--mount', '--preserve-credentials']
  return {
    inside,
    async end() {
      const exited = once(holder, 'exit')
      holder.kill()
      await exited
    },
  }
}
