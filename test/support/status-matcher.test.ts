import { describe, expect, it } from "vitest";

describe("toHaveStatus with a response that has been read", () => {
  const answer = { statusCode: 400, body: '{"error":"temperature: expected a number"}' };

  it("accepts the expected status", () => {
    expect(answer).toHaveStatus(400);
    expect(answer).not.toHaveStatus(200);
  });

  it("fails with the body if the status is different", () => {
    expect(() => expect(answer).toHaveStatus(200)).toThrow(
      'expected status 200, got 400: {"error":"temperature: expected a number"}',
    );
    expect(() => expect(answer).not.toHaveStatus(400)).toThrow(
      "expected status other than 400, got 400: {",
    );
  });

  it("shortens a long body", () => {
    const long = { statusCode: 200, body: "x".repeat(10_000) };
    expect(() => expect(long).toHaveStatus(400)).toThrow(/: x{500}…$/);
  });
});

describe("toHaveStatus with a fetch response", () => {
  const answer = () => new Response("no such route", { status: 404 });

  it("accepts the expected status, and leaves the body unread", async () => {
    const response = answer();
    await expect(response).toHaveStatus(404);
    expect(await response.text()).toBe("no such route");
  });

  it("fails with the body if the status is different", async () => {
    await expect(async () => expect(answer()).toHaveStatus(200)).rejects.toThrow(
      "expected status 200, got 404: no such route",
    );
  });

  it("shows the received part of a body that does not end", async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("data: a")),
    });
    await expect(async () =>
      expect(new Response(body, { status: 200 })).toHaveStatus(400),
    ).rejects.toThrow("expected status 400, got 200: data: a");
  });

  it("reports that the body was read before", async () => {
    const response = answer();
    await response.text();
    await expect(async () => expect(response).toHaveStatus(200)).rejects.toThrow(
      "got 404: (a body that was read before)",
    );
  });
});
