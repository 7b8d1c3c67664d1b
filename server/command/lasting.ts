import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a folder that outlasts a power cut. */
export function makeLasting(folder: string): void {
  if (existsSync(folder)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  syncFolder(folder)
  syncFolder(dirname(folder))
}

/** Has the names in a folder outlast a power cut. */
export function syncFolder(folder: string): void {
  sync(folder)
}

/** Has the bytes of a file outlast a power cut. */
export function syncFile(file: string): void {
  sync(file)
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
