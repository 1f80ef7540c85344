/** The note as it is first written. */
export const draftNote = `# How zod picks the option of a discriminated union

zod 4.6.7, read in node_modules/zod/src/v4/core.

## Answer

By one Map lookup on the value of the discriminator. The option found runs alone; order plays no part.
Nothing is tried in turn unless \`unionFallback\` is set or the schema encodes.

## Rules

| what | when | where |
|---|---|---|
| the map is built | on the first parse, then kept | schemas.ts:2758 |
| an option without values for the key throws | while the map is built | schemas.ts:2699 |
| a shape without the key throws | when the union is made | schemas.ts:2752 |
| a value that two options claim throws | while the map is built, not for undefined | schemas.ts:2703 |
| undefined, claimed twice, matches nothing | always | schemas.ts:2705 |
| all options are tried | unionFallback, or encoding | schemas.ts:2783 |

## Wrappers

| around the literal | claims |
|---|---|
| none, refine, brand, readonly | the value |
| optional, default, prefault, catch | the value and undefined |
| nullable | the value and null |
| pipe, transform | the value of the input side |
| lazy | nothing: the union throws |

Around the option only readonly, pipe and lazy pass the values on.

## No match

One issue: \`invalid_union\`, note "No matching discriminator", the known values in \`options\`
(schemas.ts:2788). It does not contain the value that came.

## Surprises

1. \`{ sentAt }\` without \`kind\` is accepted as a heartbeat, since a default claims \`undefined\`.
2. A wrong option (lazy literal, missing key behind a pipe) throws at the first parse, not at start.
3. JSON Schema gets \`oneOf\` without a discriminator keyword (json-schema-processors.ts:481).

## Not looked at

Async parsing, zod/mini, and the compiled path beyond the five inputs that were tried (compile.ts:1864).
`;
