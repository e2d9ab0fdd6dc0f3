-- Sends one request for each line of a file, over and over; WORD in path and body stands for the line.
--
--     wrk -s objects.lua <url> -- <method> <path> <file> [<body>]

local requests = {}
local place = 0

function init(args)
    local method, path, file, body = args[1], args[2], args[3], args[4]
    for word in io.lines(file) do
        local text = body and body:gsub("WORD", word)
        requests[#requests + 1] = wrk.format(method, (path:gsub("WORD", word)), nil, text)
    end
end

function request()
    place = place % #requests + 1
    return requests[place]
end
