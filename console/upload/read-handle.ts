/**
 * The file of a stored handle; undefined if the browser needs a permission first, or if the file is gone. `path` begins
 * with the name of the chosen folder or file.
 */
export async function readHandle(handle: FileSystemHandle | undefined, path: string): Promise<File | undefined> {
  if (!handle || !(await allowed(handle))) return undefined
  try {
    if (handle instanceof FileSystemFileHandle) return await handle.getFile()
    if (!(handle instanceof FileSystemDirectoryHandle)) return undefined
    const names = path.split('/').slice(1)
    let directory: FileSystemDirectoryHandle = handle
    for (const name of names.slice(0, -1)) directory = await directory.getDirectoryHandle(name)
    return await (await directory.getFileHandle(names.at(-1) ?? '')).getFile()
  } catch {
    return undefined
  }
}

/** Asks for the permission again; must be called in a click handler. */
export async function requestHandleAccess(handle: FileSystemHandle): Promise<boolean> {
  return (await permission(handle, 'requestPermission')) === 'granted'
}

async function allowed(handle: FileSystemHandle): Promise<boolean> {
  return (await permission(handle, 'queryPermission')) === 'granted'
}

// lib.dom has neither method: https://wicg.github.io/file-system-access/
async function permission(handle: FileSystemHandle, method: 'queryPermission' | 'requestPermission'): Promise<unknown> {
  const ask: unknown = Reflect.get(handle, method)
  return typeof ask === 'function' ? Reflect.apply(ask, handle, [{ mode: 'read' }]).catch(() => 'denied') : 'denied'
}
