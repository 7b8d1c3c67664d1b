import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { describe, expect, it } from 'vitest'
import { DagFixture } from '../dag-fixture.ts'
import { get } from '../gateway-request.ts'

describe('symlinks', () => {
  it('are their targets, and no way to another file', async () => {
    const links = new DagFixture()
    const foo = await links.addFile('content')
    const unixfs = new UnixFS({ type: 'symlink', data: new TextEncoder().encode('foo') })
    const bar = await links.putBlock(0x70, dagPb.encode({ Data: unixfs.marshal(), Links: [] }))
    const Links = [
      { Name: 'bar', Hash: bar, Tsize: 10 },
      { Name: 'foo', Hash: foo, Tsize: 10 },
    ]
    const Data = new UnixFS({ type: 'directory' }).marshal()
    const root = await links.putBlock(0x70, dagPb.encode({ Data, Links }))
    await links.store()
    const response = await get(`/ipfs/${root}/bar`)
    expect([response.status, await response.text()]).toEqual([200, 'foo'])
    expect(response.headers.get('Content-Type')).toBe('inode/symlink')
    expect((await get(`/ipfs/${root}/bar/x`)).status).toBe(404)
    const listing = await (await get(`/ipfs/${root}/`)).text()
    expect(listing).toContain('>foo<')
    expect(listing).toContain('>bar<')
  })
})
