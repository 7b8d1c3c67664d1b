/** Shell commands that store a file, as a reader would type them. */
export function exampleSession(baseUrl: URL): string {
  return `API=${baseUrl.origin}/v0
curl $API/user --json '{"email":"ada@example.com","password":"Correct1","firstName":"Ada","lastName":"Lovelace"}'

# Follow the link in the mail, then log in
TOKEN=$(curl -s $API/token --json '{"email":"ada@example.com","password":"Correct1"}' | jq -r .accessToken)
AUTH="Authorization: Bearer $TOKEN"

# An item, its only chunk (its size is below chunkSize of the answer), and the merge
ID=$(curl -s $API/item -H "$AUTH" --json '{"name":"cat.png","mimetype":"image/png",
  "blockchain":"Nativecoin","size":'"$(wc -c < cat.png)"'}' | jq -r .id)
curl -X PUT $API/item/$ID/chunk/0 -H "$AUTH" --data-binary @cat.png
curl -X POST $API/item/$ID/merge -H "$AUTH"

# What to pay, and where to
curl $API/payment -H "$AUTH" --json '{"blockchain":"Nativecoin","ids":["'$ID'"]}'

# How far it is, and once it is stored: the file itself
curl $API/item/$ID -H "$AUTH"
curl $API/content/$ID -o same.png`
}
