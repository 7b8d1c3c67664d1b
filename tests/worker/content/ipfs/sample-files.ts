import { beforeAll } from 'vitest'
import { DagFixture } from './dag-fixture.ts'

const text = 'hello application/vnd.ipld.car\n'

/** A site of a few levels, as the gateway's suites read it. */
export const SITE_FILES = {
  'root2/root3/root4/index.html': '<!doctype html><p>hello',
  'root2/root3/plain': text,
  'ą/ę/file-źł.txt': 'I am a txt file on path with utf8\n',
  'json/t.json': '{"a":1}',
}

/** Names with every character that means something in a URL or a page. */
const TRICKY_FILES = {
  'plain.txt': 'plain',
  'a#b?c.txt': 'delimiters',
  'emoji🚀.txt': 'rocket',
  "sub dir/file!'()*~.txt": 'sub-delims',
  'Portugal%2C+España=Peninsula Ibérica.txt': 'percent',
  '<img src=x onerror=alert(1)>.txt': 'markup',
  'a/b.txt': 'nested',
}

/** The CIDs of the sample files and of `text`, whose blocks are stored before the tests of a file. */
export async function useSamples() {
  const dag = new DagFixture()
  const small = await dag.addFile(text)
  const site = await dag.addDirectory(SITE_FILES)
  const tricky = await dag.addDirectory(TRICKY_FILES)
  beforeAll(() => dag.store())
  return { dag, small, site, tricky }
}
