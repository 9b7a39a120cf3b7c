/** Short, common English words, each of a few tokens with any tokenizer. */
export const words = `
able about above across after again almost along also always answer around baby back bank bear
become before begin behind below best better between bird black blue boat book both bottle bread
bridge bring brother brown build butter carry catch change child city clean clear close cloud coat
cold colour come cook corner count country cover cross dance dark daughter deep dinner dish doctor
door dream drink drive early earth east easy evening every face family farm fast father field find
fire first fish floor flower follow food forest friend fruit garden give glass good grass great green
ground grow hand happy hard head hear heart heavy help high hold home horse hour house island keep
`
  .trim()
  .split(/\s+/);
