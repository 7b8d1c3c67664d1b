import schemathesis

schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
