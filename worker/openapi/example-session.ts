/** Shell commands that store a file, as a reader would type them. */
export function exampleSession(baseUrl: URL): string {
  const api = `${baseUrl.origin}/v0`
  return `TOKEN=$(curl -s ${api}/token --json '{"email":"ada@example.com","password":"Correct1"}' | jq -r .accessToken)

# An item, its only chunk, and the merge
ID=$(curl -s ${api}/item -H "Authorization: Bearer $TOKEN" \\
  --json "{\\"name\\":\\"cat.png\\",\\"mimetype\\":\\"image/png\\",\\"blockchain\\":\\"Nativecoin\\",\\"size\\":$(wc -c < cat.png)}" | jq -r .id)
curl -X PUT ${api}/item/$ID/chunk/0 -H "Authorization: Bearer $TOKEN" --data-binary @cat.png
curl -X POST ${api}/item/$ID/merge -H "Authorization: Bearer $TOKEN"

# What to pay, and where to
curl ${api}/payment -H "Authorization: Bearer $TOKEN" --json "{\\"blockchain\\":\\"Nativecoin\\",\\"ids\\":[\\"$ID\\"]}"

# How far it is
curl ${api}/item/$ID -H "Authorization: Bearer $TOKEN"`
}
