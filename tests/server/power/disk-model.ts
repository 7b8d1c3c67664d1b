/** What a process did to the files of one folder; paths are below it, the folder itself is ''. */
export type DiskEvent =
  | { kind: 'made'; path: string; inode: bigint; isFolder: boolean }
  | { kind: 'wrote'; inode: bigint; offset: number; bytes: Uint8Array }
  | { kind: 'cut off'; inode: bigint; size: number }
  | { kind: 'renamed'; path: string; to: string }
  | { kind: 'removed'; path: string }
  | { kind: 'synced'; inode: bigint }

/** A file or folder as it is at the beginning, all of it on the disk. */
export interface FirstNode {
  path: string
  inode: bigint
  /** Of a file. */
  bytes?: Uint8Array
}

/** A file or folder as it is at the end; folders come before what is in them. */
export interface LastNode {
  path: string
  /** Of a file. */
  bytes?: Uint8Array
}

interface Node {
  path: string
  kept: Uint8Array
  /** What was done to the bytes since the last sync. */
  waiting: Extract<DiskEvent, { kind: 'wrote' | 'cut off' }>[]
  isFolder: boolean
  /** What is in a folder: as the processes see it, and as the disk has it. */
  seen: Map<string, Node>
  onDisk: Map<string, Node>
}

/**
 * A folder whose disk does nothing before it has to: bytes are on it by a sync of their file, a name by a sync of its file
 * or of its folder. What a removed or changed name was before is there until then. A real disk may have written more, in any order.
 */
export class DiskModel {
  readonly #root: Node
  readonly #byInode = new Map<bigint, Node>()

  /** `first`: what is there, the folder itself included, each after the folder that it is in. */
  constructor(first: readonly FirstNode[]) {
    this.#root = newNode('', true)
    for (const { path, inode, bytes } of first) {
      const node = path === '' ? this.#root : newNode(path, bytes === undefined)
      this.#byInode.set(inode, node)
      if (path === '') continue
      node.kept = bytes?.slice() ?? node.kept
      const [folder, name] = this.#place(path)
      folder.seen.set(name, node)
      folder.onDisk.set(name, node)
    }
  }

  /** Takes the next event. @throws {Error} where it is about something that no event has made. */
  apply(event: DiskEvent): void {
    switch (event.kind) {
      case 'made':
        this.#make(event)
        return
      case 'wrote':
      case 'cut off':
        this.#node(event.inode).waiting.push(event)
        return
      case 'renamed':
        this.#rename(event.path, event.to)
        return
      case 'removed': {
        const [folder, name] = this.#place(event.path)
        folder.seen.delete(name)
        return
      }
      case 'synced':
        this.#sync(this.#node(event.inode))
        return
    }
  }

  /** What is there after a power cut now. */
  afterCut(): LastNode[] {
    return list(
      this.#root,
      (folder) => folder.onDisk,
      ({ kept }) => kept,
    )
  }

  /** What the processes see now: all of it, synced or not. */
  asSeen(): LastNode[] {
    return list(
      this.#root,
      (folder) => folder.seen,
      ({ kept, waiting }) => change(kept.slice(), waiting),
    )
  }

  #make({ path, inode, isFolder }: Extract<DiskEvent, { kind: 'made' }>): void {
    const [folder, name] = this.#place(path)
    const before = this.#byInode.get(inode)
    // A file that was opened. The number of one that was removed is given again.
    if (before !== undefined && folder.seen.get(name) === before) return
    const node = newNode(path, isFolder)
    this.#byInode.set(inode, node)
    folder.seen.set(name, node)
  }

  #rename(from: string, to: string): void {
    const [folder, name] = this.#place(from)
    const [newFolder, newName] = this.#place(to)
    const node = folder.seen.get(name)
    if (!node) throw new Error(`${from} was renamed, and was not there`)
    folder.seen.delete(name)
    newFolder.seen.set(newName, node)
    node.path = to
  }

  #sync(node: Node): void {
    node.kept = change(node.kept, node.waiting)
    node.waiting = []
    if (node.isFolder) node.onDisk = new Map(node.seen)
    if (node === this.#root) return
    const [folder, name] = this.#place(node.path)
    if (folder.seen.get(name) === node) folder.onDisk.set(name, node)
  }

  #node(inode: bigint): Node {
    const node = this.#byInode.get(inode)
    if (!node) throw new Error(`nothing made the file with inode ${inode}`)
    return node
  }

  /** The folder of a path, and the name in it. */
  #place(path: string): [Node, string] {
    const names = path.split('/')
    const name = names.pop() ?? ''
    let folder = this.#root
    for (const part of names) {
      const next = folder.seen.get(part)
      if (!next) throw new Error(`nothing made the folder of ${path}`)
      folder = next
    }
    return [folder, name]
  }
}

function newNode(path: string, isFolder: boolean): Node {
  return { path, kept: new Uint8Array(), waiting: [], isFolder, seen: new Map(), onDisk: new Map() }
}

/** Makes these changes to bytes, in place where they have room; returns the bytes of the file then. */
function change(bytes: Uint8Array, changes: Node['waiting']): Uint8Array {
  const sizes = changes.map((one) => (one.kind === 'cut off' ? one.size : one.offset + one.bytes.length))
  const most = Math.max(bytes.length, ...sizes)
  let [all, size] = [bytes, bytes.length]
  if (most > size) {
    all = new Uint8Array(most)
    all.set(bytes)
  }
  for (const one of changes) {
    if (one.kind === 'cut off') {
      all.fill(0, one.size)
      size = one.size
    } else {
      all.set(one.bytes, one.offset)
      size = Math.max(size, one.offset + one.bytes.length)
    }
  }
  return all.subarray(0, size)
}

function list(
  folder: Node,
  entries: (folder: Node) => Map<string, Node>,
  bytes: (file: Node) => Uint8Array,
): LastNode[] {
  const walk = (node: Node, prefix: string): LastNode[] =>
    [...entries(node)].flatMap(([name, child]) => {
      const path = prefix + name
      return child.isFolder ? [{ path }, ...walk(child, `${path}/`)] : [{ path, bytes: bytes(child) }]
    })
  return walk(folder, '')
}
