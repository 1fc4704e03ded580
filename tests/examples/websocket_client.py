"""websocket_client.py ADDRESS:PORT: uses examples/websocket with a public client (Debian's
python3-websockets, hence Debian's python3)."""
import asyncio
import sys

import websockets


async def refusal(connection, *messages):
    """The code with which the server closes after these."""
    for message in messages:
        await connection.send(message)
    try:
        while True:
            await asyncio.wait_for(connection.recv(), 20)
    except websockets.ConnectionClosed:
        return connection.close_code, connection.close_reason


async def echo(address):
    # It offers permessage-deflate, which the server does not take.
    async with websockets.connect(f"ws://{address}/echo", max_size=None) as connection:
        assert connection.extensions == [], connection.extensions
        for size in (0, 1, 125, 126, 65535, 65536, 1024 * 1024):
            await connection.send("ä" * (size // 2))
            assert await connection.recv() == "ä" * (size // 2)
            await connection.send(b"\xff" * size)
            assert await connection.recv() == b"\xff" * size
        await connection.send(["in ", "three ", "fragments"])
        assert await connection.recv() == "in three fragments"
        await asyncio.wait_for(await connection.ping(b"here"), 20)
    assert connection.close_code == 1000, connection.close_code
    async with websockets.connect(f"ws://{address}/echo") as connection:
        assert (await refusal(connection, b"x" * (1024 * 1024 + 1)))[0] == 1009


async def counter(address):
    url = f"ws://{address}/counter"
    async with websockets.connect(url) as one, websockets.connect(url) as other:
        assert one.response_headers["Set-Cookie"] == "counted=yes", one.response_headers
        sums = []
        for connection, number in (one, "5"), (other, "-2"), (one, "10"):
            await connection.send(number)
            sums.append(await connection.recv())
        assert sums == ["5", "3", "13"], sums
        assert await refusal(other, "many") == (1008, "a hundred numbers, no more")
        assert (await refusal(one, b"5"))[0] == 1003


async def drained(address):
    """Ends when the server does, which its starter brings about behind this line."""
    async with websockets.connect(f"ws://{address}/echo") as connection:
        print("open", flush=True)
        assert (await refusal(connection))[0] == 1001


async def main(address):
    await echo(address)
    await counter(address)
    await drained(address)


asyncio.run(main(sys.argv[1]))
