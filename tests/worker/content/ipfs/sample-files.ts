const text = 'hello application/vnd.ipld.car\n'

/** A site of a few levels, as the gateway's suites read it. */
export const SITE_FILES = {
  'root2/root3/root4/index.html': '<!doctype html><p>hello',
  'root2/root3/plain': text,
  'ą/ę/file-źł.txt': 'I am a txt file on path with utf8\n',
  'json/t.json': '{"a":1}',
}

/** Names with every character that means something in a URL or a page. */
export const TRICKY_FILES = {
  'plain.txt': 'plain',
  'a#b?c.txt': 'delimiters',
  'emoji🚀.txt': 'rocket',
  "sub dir/file!'()*~.txt": 'sub-delims',
  'Portugal%2C+España=Peninsula Ibérica.txt': 'percent',
  '<img src=x onerror=alert(1)>.txt': 'markup',
  'a/b.txt': 'nested',
}
