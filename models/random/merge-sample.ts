/** Text from which the own tokenizer learns its merges: prose, dialogue, some JSON and code. */
export const mergeSample = `The harbour town woke before the sun. Along the quay the fishermen were
talking about the weather, about the price of salt, and about the boat that had not come back. Nobody
said the name of the boat. The old keeper of the lighthouse walked down the stairs, counting them as he
did every morning, and there were one hundred and twelve of them, as there had always been.

"Did you see a light in the night?" asked the baker, who was standing in the open door of her shop.
"I saw the moon," the keeper answered, "and the moon is not a boat." He bought two loaves of bread and
put the change into the tin for the orphans. The baker laughed, but she was thinking of her brother.

At noon the wind turned to the north. The children came running from the school on the hill, shouting
that there was something on the water, something small and white. Everyone went to see. The keeper took
his glass from its leather case and looked for a long time. "It is the boat," he said at last, "and there
are three people standing in it." Then the whole town was running, and the bells were ringing, and for
the rest of the day nobody did any work at all.

What had happened was simple. They had lost the mast in the storm, and they had rowed for two days with
one oar and a piece of the deck. They were thirsty, they were tired, and they could not stop telling the
story. In the evening the brother of the baker ate a whole loaf of bread without saying a word, and then
he asked for another one.

How does a machine read such a story? It does not see letters or words. It sees numbers, each of which
stands for a piece of text. Frequent words have a number of their own; rare words are made from several
pieces. From the numbers that came before, the machine computes how likely each number is to come next,
chooses one of them, writes it down, and begins again. That is all. The answer grows by one piece at a
time, and the question is how quickly the next piece can be found when many people are waiting.

You are a helpful assistant. Please answer the question in one short sentence, and say so when you do
not know the answer. The user would like to know which day it is, what the weather will be like, and
where the nearest station is. I think that the first train leaves at seven. Thank you, that is what I
wanted to know. Could you write it down for me? Of course, here is the list that you asked for:

1. Open the window and look at the sky.
2. Read the first page of the newspaper.
3. Call the station and ask for the time of the first train.

{"name": "get_weather", "arguments": {"city": "Bergen", "unit": "celsius"}}
{"name": "get_time", "arguments": {"city": "Lisbon", "format": "short"}}
{"name": "add_task", "arguments": {"title": "Call the station", "done": false, "priority": 2}}
{"id": 1, "title": "Open the window", "done": true, "tags": ["home", "morning"]}
{"id": 2, "title": "Read the newspaper", "done": false, "tags": []}

function next(numbers) {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  return total / numbers.length;
}

The function returns the mean of the numbers. When the list is empty there is no mean, and the function
should say so. The test calls the function with one number, with two numbers, and with no number at all.
`;
