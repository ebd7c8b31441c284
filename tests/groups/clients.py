"""Runs in a pod: clients that move money between two tables of a bank, each over a connection of its own.

    clients.py ACCOUNTS CLIENTS FOLDER COMMAND…      COMMAND is a database client that reads SQL

Each writes to FOLDER/I how far it is: the number of the last transfer that was acknowledged, and of the last that was
begun. They start when FOLDER/go is there, and end when it is not. A connection that is lost is made anew.
"""
import os
import random
import subprocess
import sys
import threading
import time

ACCOUNTS, CLIENTS, FOLDER, COMMAND = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]


def wanted():
    return os.path.exists(f"{FOLDER}/go")


class Client:
    def __init__(self, number):
        self.number, self.random, self.process = number, random.Random(number), None

    def run(self):
        while wanted():
            try:
                self.connected()
            except OSError:
                pass
            if self.process:
                self.process.kill()
                self.process.wait()
            time.sleep(0.2)

    def connected(self):
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        done = int(self.ask(f"SELECT coalesce(max(seq), 0) FROM journal WHERE client = {self.number};"))
        while wanted():
            self.note(done, done + 1)
            self.transfer(done + 1)
            done += 1
            self.note(done, done)

    def transfer(self, seq):
        left, right = self.random.randint(1, ACCOUNTS), self.random.randint(1, ACCOUNTS)
        amount = self.random.randint(1, 100)
        said = self.ask(f"BEGIN; UPDATE lefts SET amount = amount - {amount} WHERE id = {left};"
                        f"UPDATE rights SET amount = amount + {amount} WHERE id = {right};"
                        f"INSERT INTO journal VALUES ({self.number}, {seq}, {left}, {right}, {amount});"
                        f"COMMIT; SELECT {seq};")
        if int(said) != seq:
            raise OSError(f"{said} instead of {seq}")

    def ask(self, sql):
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().strip()
        if not line.isdigit():
            raise OSError("no answer")
        return line

    def note(self, acknowledged, begun):
        with open(f"{FOLDER}/{self.number}.new", "w", encoding="utf-8") as out:
            out.write(f"{acknowledged} {begun}\n")
        os.replace(f"{FOLDER}/{self.number}.new", f"{FOLDER}/{self.number}")


while True:
    while not wanted():
        time.sleep(0.1)
    threads = [threading.Thread(target=Client(number).run) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    open(f"{FOLDER}/ended", "w", encoding="utf-8").close()
